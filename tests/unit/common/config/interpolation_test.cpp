// What must hold: variables fill values and nothing else, and what is missing is said at its place.
#include "common/config/interpolation.h"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/common/config/parsed_text.h"

namespace weir::config {

namespace {

ParsedText Interpolated(const std::string& text, std::map<std::string, std::string> variables) {
  ParsedText parsed(text);
  REQUIRE(parsed.document != nullptr);
  Interpolate(
      [&variables](StringView name) -> absl::optional<std::string> {
        const auto found = variables.find(std::string(name));
        if (found == variables.end()) return absl::nullopt;
        return found->second;
      },
      parsed.document.get(), &parsed.diagnostics);
  return parsed;
}

std::string Value(const std::string& text, std::map<std::string, std::string> variables) {
  const ParsedText parsed = Interpolated("a: " + text + "\n", std::move(variables));
  INFO(parsed.Report());
  REQUIRE_FALSE(parsed.diagnostics.HasErrors());
  return parsed.root().Find("a")->text();
}

}  // namespace

TEST_CASE("Interpolate fills in variables and defaults", "[config][unit]") {
  CHECK(Value("${A}", {{"A", "x"}}) == "x");
  CHECK(Value("p-${A}-${B_2}-s", {{"A", "x"}, {"B_2", "y"}}) == "p-x-y-s");
  CHECK(Value("${A:-localhost:9092}", {}) == "localhost:9092");
  CHECK(Value("'${A:-it''s}'", {}) == "it's");
  CHECK(Value("${A:-}", {}).empty());
  CHECK(Value("${A:-d}", {{"A", "x"}}) == "x");
  CHECK(Value("${A:-d}", {{"A", ""}}) == "d");
  CHECK(Value("${A}", {{"A", ""}}).empty());
}

TEST_CASE("Interpolate leaves other dollars alone", "[config][unit]") {
  CHECK(Value("$A $ $$ costs 5$", {}) == "$A $ $$ costs 5$");
  CHECK(Value("$${A}", {}) == "${A}");
  CHECK(Value("$$${A}", {}) == "$${A}");
  CHECK(Value("x{1}", {}) == "x{1}");
}

TEST_CASE("Interpolate does not look into values again", "[config][unit]") {
  CHECK(Value("${A}", {{"A", "${B}"}, {"B", "no"}}) == "${B}");
}

TEST_CASE("Interpolate never changes structure or keys", "[config][unit]") {
  const ParsedText parsed =
      Interpolated("a: ${V}\n\"${V}\": 1\nl: [\"${V}\"]\n", {{"V", "x: [1]\ny: null"}});
  REQUIRE_FALSE(parsed.diagnostics.HasErrors());
  CHECK(parsed.root().Find("a")->text() == "x: [1]\ny: null");
  CHECK(parsed.root().Find("${V}") != nullptr);
  CHECK(parsed.root().Find("l")->items()[0]->IsScalar());
}

TEST_CASE("Interpolate makes a text even of null", "[config][unit]") {
  const ParsedText parsed = Interpolated("a: ${V}\n", {{"V", "null"}});
  CHECK_FALSE(parsed.root().Find("a")->IsNull());
}

TEST_CASE("Interpolate reports every missing variable at its place", "[config][unit]") {
  const ParsedText parsed = Interpolated("a: \"x ${ONE}\"\nb:\n  - y${TWO}z\n", {});
  CHECK(parsed.Report() ==
        "job.yaml:1:7: error: variable 'ONE' is not set [E0114]\n"
        "   |\n"
        "1  | a: \"x ${ONE}\"\n"
        "   |       ^^^^^^\n"
        "   = help: set it, or give a default: ${ONE:-value}\n"
        "job.yaml:3:6: error: variable 'TWO' is not set [E0114]\n"
        "   |\n"
        "3  |   - y${TWO}z\n"
        "   |      ^^^^^^\n"
        "   = help: set it, or give a default: ${TWO:-value}\n");
  CHECK(parsed.diagnostics.Sorted()[1].path == "/b/0");
}

TEST_CASE("Interpolate refuses other forms", "[config][unit]") {
  for (const char* text : {"${}", "${1A}", "${A B}", "${param.x}", "${secret:env/X}", "${A:?no}",
                           "${A-b}", "${A:-${B}}", "${open"}) {
    const ParsedText parsed = Interpolated("a: '" + std::string(text) + "'\n", {{"A", "x"}});
    CAPTURE(text);
    REQUIRE(parsed.diagnostics.error_count() == 1);
    const Diagnostic error = parsed.diagnostics.Sorted()[0];
    CHECK(std::string(error.code.id) == "E0115");
    CHECK(error.help.size() == 1);
    CHECK(error.range.Begin() == LineColumn{1, 5});
  }
}

TEST_CASE("Interpolate ignores the values of x- keys", "[config][unit]") {
  const ParsedText parsed = Interpolated("x-shared: {a: \"${NO}\"}\nb: 1\n", {});
  CHECK_FALSE(parsed.diagnostics.HasErrors());
}

TEST_CASE("Interpolate limits the bytes of all values", "[config][unit]") {
  const std::string half(kSubstitutedBytesMax / 2, 'x');
  CHECK_FALSE(Interpolated("a: ${V}${V}\n", {{"V", half}}).diagnostics.HasErrors());
  const ParsedText parsed = Interpolated("a: ${V}${V}${W}\n", {{"V", half}, {"W", "x"}});
  REQUIRE(parsed.diagnostics.error_count() == 1);
  CHECK(std::string(parsed.diagnostics.Sorted()[0].code.id) == "E0109");
}

TEST_CASE("Interpolate refuses values that are not text", "[config][unit]") {
  const ParsedText parsed = Interpolated("a: ${V}\n", {{"V", "\xFF"}});
  REQUIRE(parsed.diagnostics.error_count() == 1);
  CHECK(std::string(parsed.diagnostics.Sorted()[0].code.id) == "E0113");
}

}  // namespace weir::config
