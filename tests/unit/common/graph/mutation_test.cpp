// What must hold: however a descriptor is damaged, planning ends with a plan or with errors.
#include <cstdlib>
#include <string>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/graph/explain.h"
#include "tests/unit/common/graph/golden.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

constexpr int kMutantCount = 3000;

uint64_t TestSeed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  uint64_t seed = 0;
  return text != nullptr && absl::SimpleAtoi(text, &seed) ? seed : base::EntropySeed();
}

// All descriptors of the tree: the examples and the golden ones.
std::vector<std::string> Descriptors() {
  std::vector<std::string> texts;
  fs::LocalFileSystem files;
  for (const char* directory : {"/examples", "/tests/golden/diagnostics"}) {
    const std::string path = absl::StrCat(WEIR_SOURCE_ROOT, directory);
    const auto entries = files.List(path);
    REQUIRE(entries.ok());
    for (const fs::DirectoryEntry& entry : *entries) {
      if (!absl::EndsWith(entry.name, ".yaml")) continue;
      texts.push_back(ReadText(absl::StrCat(path, "/", entry.name)));
    }
  }
  return texts;
}

// What may stand in place of a value.
std::string OtherValue(base::Random& random) {
  static constexpr const char* kValues[] = {"",
                                            "~",
                                            "0",
                                            "-1",
                                            "9223372036854775807",
                                            "x",
                                            "[a, b]",
                                            "{a: b}",
                                            "[]",
                                            "{}",
                                            "''",
                                            "1s",
                                            "csv",
                                            "all",
                                            "count(*)",
                                            "\"a = 1 and (b is null)\"",
                                            "${NONE}",
                                            "{type: hopping, size: 10s, slide: 3s}",
                                            "{strategy: bounded, delay: 1s}",
                                            "{kind: sequence, start: 1}"};
  return kValues[random.Below(sizeof(kValues) / sizeof(kValues[0]))];
}

// Cuts, repeats, moves or changes one line.
void Mutate(base::Random& random, std::vector<std::string>* lines) {
  const size_t at = random.Below(lines->size());
  std::string& line = (*lines)[at];
  switch (random.Below(6)) {
    case 0:
      lines->erase(lines->begin() + static_cast<std::ptrdiff_t>(at));
      if (lines->empty()) lines->push_back("");
      break;
    case 1:
      lines->insert(lines->begin() + static_cast<std::ptrdiff_t>(at), line);
      break;
    case 2:
      std::swap(line, (*lines)[random.Below(lines->size())]);
      break;
    case 3:
      if (!line.empty()) line[random.Below(line.size())] = static_cast<char>(random.Below(128));
      break;
    case 4:
      line = "  " + line;
      break;
    default: {
      const size_t colon = line.find(": ");
      if (colon != std::string::npos) line = line.substr(0, colon + 2) + OtherValue(random);
      break;
    }
  }
}

}  // namespace

TEST_CASE("A damaged descriptor gives a plan or errors", "[graph][unit]") {
  const std::vector<std::string> texts = Descriptors();
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (int i = 0; i < kMutantCount; ++i) {
    std::vector<std::string> lines = absl::StrSplit(texts[random.Below(texts.size())], '\n');
    for (uint64_t count = random.Below(4) + 1; count > 0; --count) Mutate(random, &lines);
    const std::string text = absl::StrJoin(lines, "\n");
    INFO(text);
    const PlanResult result = PlanText(text);
    REQUIRE((result.plan != nullptr) == !result.diagnostics.HasErrors());
    if (result.plan == nullptr) {
      REQUIRE_FALSE(Rendered(result).empty());
    } else {
      REQUIRE_FALSE(ExplainText(*result.plan, ExplainView::kPhysical).empty());
      REQUIRE_FALSE(ExplainJson(*result.plan).empty());
    }
  }
}

}  // namespace weir::graph
