// What must hold: a file that is no YAML gets one error at the right place, in words that help.
#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/common/config/parsed_text.h"

namespace weir::config {

namespace {

struct Seen {
  std::string place;
  std::string message;
  std::string help;
};

Seen ErrorOf(const std::string& text) {
  INFO(text);
  const ParsedText parsed(text);
  CHECK(parsed.document == nullptr);
  const std::vector<Diagnostic> sorted = parsed.diagnostics.Sorted();
  REQUIRE(sorted.size() == 1);
  return {sorted[0].range.ToString(), sorted[0].message,
          sorted[0].help.empty() ? "" : sorted[0].help[0]};
}

constexpr char kQuoteHint[] = "quote this expression or use a `|` block";

}  // namespace

TEST_CASE("A colon in an expression is answered with the quoting rule", "[config][unit]") {
  const Seen seen = ErrorOf("a:\n  where: kind = 'x': y\n");
  CHECK(seen.place == "job.yaml:2:20");
  CHECK(seen.message == "mapping values are not allowed here");
  CHECK(seen.help == kQuoteHint);
  CHECK(ErrorOf("m: {where: a: b, c: d}\n").help == kQuoteHint);
}

TEST_CASE("Text behind a quoted start is answered with the quoting rule", "[config][unit]") {
  for (const char* text :
       {"where: 'x' = y\nb: 1\n", "where: \"a\" || b\nx: 1\n", "where: [b] c\nd: 1\n",
        "where: {a: 1} = 3\nd: 1\n", "x: &x 1\nwhere: *x + 1\n"}) {
    const Seen seen = ErrorOf(text);
    CHECK(seen.message == "there is more text after the end of the value");
    CHECK(seen.help == kQuoteHint);
  }
  CHECK(ErrorOf("where: >= 3\nb: 1\n").help == kQuoteHint);
  CHECK(ErrorOf("where: @x\n").help == kQuoteHint);
  CHECK(ErrorOf("where: %x\n").help == kQuoteHint);
}

TEST_CASE("Bad indentation is called that", "[config][unit]") {
  const Seen seen = ErrorOf("a:\n  b: 1\n c: 2\n");
  CHECK(seen.place == "job.yaml:3:2");
  CHECK(seen.message == "the indentation of this line fits no block around it");
  CHECK(ErrorOf("name: a\n  where: b\n").message ==
        "mapping values are not allowed here: the line continues the value above it");
  CHECK(ErrorOf("- a\nb: c\n").message == "the text does not belong to what stands above it");
}

TEST_CASE("A tab in the indentation is called that", "[config][unit]") {
  const Seen seen = ErrorOf("a:\n  b: 1\n\tc: 1\n");
  CHECK(seen.place == "job.yaml:3:1");
  CHECK(seen.message == "a tab in the indentation");
  CHECK(seen.help == "indent with spaces");
}

TEST_CASE("An open bracket is named where it opened", "[config][unit]") {
  const Seen seen = ErrorOf("a: {b: 1\nd: 1\n");
  CHECK(seen.message == "the `{` of job.yaml:1:4 is not closed before this");
  CHECK(ErrorOf("a: [1, 2\nb: 3\n").message == "the `[` of job.yaml:1:4 is not closed before this");
}

TEST_CASE("An open quote is reported where it opened", "[config][unit]") {
  const Seen seen = ErrorOf("a: 1\nb: \"open\nc: 1\n");
  CHECK(seen.place == "job.yaml:2:4");
  CHECK(seen.message == "the quote is never closed");
  CHECK(ErrorOf("a: 'open\n").place == "job.yaml:1:4");
}

TEST_CASE("Other slips have words of their own", "[config][unit]") {
  CHECK(ErrorOf("a: - b\n").message == "a list item `- ` is not allowed here");
  CHECK(ErrorOf("a: \"x\\qy\"\n").message == "unknown escape in a double-quoted text");
  CHECK(ErrorOf("a: }\n").message == "the bracket closes nothing");
  CHECK(ErrorOf("a: ? b\n").message == "a `? ` key is not allowed here");
}

}  // namespace weir::config
