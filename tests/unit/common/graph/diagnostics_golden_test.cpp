// What must hold: for every descriptor in tests/golden/diagnostics, validation says exactly what
// stands in the .txt beside it: all errors at once, each at its place.
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <catch2/catch.hpp>

#include "common/config/diagnostic_text.h"
#include "common/graph/planner.h"
#include "tests/unit/common/graph/golden.h"

namespace weir::graph {

TEST_CASE("Every bad descriptor is answered as its golden file says", "[graph][unit]") {
  const std::string directory = absl::StrCat(WEIR_SOURCE_ROOT, "/tests/golden/diagnostics");
  fs::LocalFileSystem files;
  const auto entries = files.List(directory);
  REQUIRE(entries.ok());
  size_t count = 0;
  for (const fs::DirectoryEntry& entry : *entries) {
    StringView name = entry.name;
    if (!absl::ConsumeSuffix(&name, ".yaml")) continue;
    ++count;
    PlanRequest request;
    request.file_name = entry.name;
    request.text = ReadText(absl::StrCat(directory, "/", entry.name));
    const PlanResult result = MakePlan(request);
    CHECK((result.plan != nullptr) == !result.diagnostics.HasErrors());
    CheckGolden(absl::StrCat(directory, "/", name, ".txt"),
                config::RenderText(result.diagnostics, config::Colour::kOff));
  }
  CHECK(count >= 10);
}

}  // namespace weir::graph
