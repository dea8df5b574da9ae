// What must hold: the committed reference page says what the option tables say.
#include "common/graph/reference.h"

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/expr/function_table.h"
#include "tests/unit/common/graph/golden.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

TEST_CASE("docs/descriptor.md is what the option tables make", "[graph][unit]") {
  CheckGolden(absl::StrCat(WEIR_SOURCE_ROOT, "/docs/descriptor.md"), RenderReference());
}

TEST_CASE("The first job of the reference is valid, without warnings", "[graph][unit]") {
  const std::string page = RenderReference();
  const size_t section = page.find("## A first job");
  REQUIRE(section != std::string::npos);
  const StringView fence = "```yaml\n";
  const size_t begin = page.find(std::string(fence), section) + fence.size();
  const size_t end = page.find("```", begin);
  REQUIRE(end < page.find("\n## ", section + 1));
  const PlanResult result = PlanText(page.substr(begin, end - begin));
  INFO(Rendered(result));
  CHECK(result.plan != nullptr);
  CHECK(result.diagnostics.empty());
}

TEST_CASE("The reference has each function once, and each connector a heading of its own",
          "[graph][unit]") {
  const std::string page = RenderReference();
  const auto count = [&page](const std::string& text) {
    size_t found = 0;
    for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  for (const expr::FunctionInfo& function : expr::ListFunctions()) {
    CAPTURE(function.name);
    const bool has_own_syntax = StringView(function.name) == "case";
    CHECK(count(absl::StrCat("\n| `", function.name, has_own_syntax ? " " : "(")) == 1);
  }
  for (const char* heading : {"Source `file`", "Sink `file`", "Source `datagen`"}) {
    CHECK(count(absl::StrCat("\n### ", heading, "\n")) == 1);
  }
}

}  // namespace weir::graph
