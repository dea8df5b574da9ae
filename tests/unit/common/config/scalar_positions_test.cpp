// What must hold: an offset in the text of a scalar leads to the byte in the file it was written
// as, whatever the style.
#include "common/config/scalar_positions.h"

#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/config/interpolation.h"
#include "tests/unit/common/config/parsed_text.h"

namespace weir::config {

namespace {

// Where the part `part` of the scalar under `key` was written.
SourceRange PlaceOf(const ParsedText& parsed, const char* key, const std::string& part) {
  const Node* node = parsed.root().Find(key);
  REQUIRE(node != nullptr);
  INFO(node->text());
  const size_t begin = node->text().find(part);
  REQUIRE(begin != std::string::npos);
  return ScalarPositions(*node).Range(begin, begin + part.size());
}

std::string WrittenAs(const SourceRange& range) {
  return std::string(range.source->text().substr(range.begin, range.end - range.begin));
}

}  // namespace

TEST_CASE("ScalarPositions maps plain scalars", "[config][unit]") {
  const ParsedText parsed("where: price > 100 and pric < 900  # no\n");
  const SourceRange place = PlaceOf(parsed, "where", "pric <");
  CHECK(place.Begin() == LineColumn{1, 24});
  CHECK(WrittenAs(place) == "pric <");
}

TEST_CASE("ScalarPositions maps plain scalars over several lines", "[config][unit]") {
  const ParsedText parsed("where: a = 1\n   and   \n\n   bcd = 2\nx: 1\n");
  CHECK(parsed.root().Find("where")->text() == "a = 1 and\nbcd = 2");
  CHECK(PlaceOf(parsed, "where", "and").Begin() == LineColumn{2, 4});
  CHECK(PlaceOf(parsed, "where", "bcd").Begin() == LineColumn{4, 4});
}

TEST_CASE("ScalarPositions undoes quotes and escapes", "[config][unit]") {
  const ParsedText parsed("a: 'it''s ok'\nb: \"\\u00e4\\n\\\"x\\\" y\\x41 z\"\n");
  CHECK(PlaceOf(parsed, "a", "s ok").Begin() == LineColumn{1, 9});
  CHECK(WrittenAs(PlaceOf(parsed, "a", "'s")) == "''s");
  CHECK(parsed.root().Find("b")->text() == "ä\n\"x\" yA z");
  CHECK(PlaceOf(parsed, "b", "x").Begin() == LineColumn{2, 15});
  CHECK(PlaceOf(parsed, "b", "z").Begin() == LineColumn{2, 25});
  CHECK(WrittenAs(PlaceOf(parsed, "b", "yA")) == "y\\x41");
}

TEST_CASE("ScalarPositions maps quoted scalars over several lines", "[config][unit]") {
  const ParsedText parsed("a: \"one  \n  two\\\n   three\n\n  four\"\nb: 'x\n\n  yz'\n");
  CHECK(parsed.root().Find("a")->text() == "one twothree\nfour");
  CHECK(PlaceOf(parsed, "a", "two").Begin() == LineColumn{2, 3});
  CHECK(PlaceOf(parsed, "a", "three").Begin() == LineColumn{3, 4});
  CHECK(PlaceOf(parsed, "a", "four").Begin() == LineColumn{5, 3});
  CHECK(PlaceOf(parsed, "b", "yz").Begin() == LineColumn{8, 3});
}

TEST_CASE("ScalarPositions strips the indentation of literal blocks", "[config][unit]") {
  const ParsedText parsed("s:\n  w: |\n    price >\n      pric\n\n    end\n");
  const Node& node = *parsed.root().Find("s")->Find("w");
  CHECK(node.text() == "price >\n  pric\n\nend\n");
  const ScalarPositions positions(node);
  const size_t pric = node.text().find("pric\n");
  CHECK(positions.Range(pric, pric + 4).Begin() == LineColumn{4, 7});
  CHECK(positions.Range(pric, pric + 4).End() == LineColumn{4, 11});
  const size_t end = node.text().find("end");
  CHECK(positions.Range(end, end + 3).Begin() == LineColumn{6, 5});
}

TEST_CASE("ScalarPositions obeys an indentation indicator", "[config][unit]") {
  const ParsedText parsed("a: |2-\n    x\n   y\nb: |+\n\n  z\n\n");
  CHECK(parsed.root().Find("a")->text() == "  x\n y");
  CHECK(PlaceOf(parsed, "a", "x").Begin() == LineColumn{2, 5});
  CHECK(PlaceOf(parsed, "a", "y").Begin() == LineColumn{3, 4});
  CHECK(PlaceOf(parsed, "b", "z").Begin() == LineColumn{6, 3});
}

TEST_CASE("A literal block ends behind its last line, also one of spaces", "[config][unit]") {
  const ParsedText parsed("a: |2\n    \nb: 1\n");
  const Node& node = *parsed.root().Find("a");
  CHECK(node.text() == "  \n");
  CHECK(node.range().End() == LineColumn{2, 5});
}

TEST_CASE("ScalarPositions gives the line of folded blocks", "[config][unit]") {
  const ParsedText parsed("a: >\n   one two\n   three\n\n     more\n   last\nb: 1\n");
  const SourceRange two = PlaceOf(parsed, "a", "two");
  CHECK(two.Begin() == LineColumn{2, 4});
  CHECK(WrittenAs(two) == "one two");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "three")) == "three");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "last")) == "last");
}

TEST_CASE("ScalarPositions leads substituted text to its variable", "[config][unit]") {
  ParsedText parsed("a: \"x ${LONG} y ${S:-d} $${z} end\"\n");
  Interpolate(
      [](StringView name) -> absl::optional<std::string> {
        if (name == "LONG") return std::string("0123456789abcdef");
        return absl::nullopt;
      },
      parsed.document.get(), &parsed.diagnostics);
  REQUIRE(parsed.root().Find("a")->text() == "x 0123456789abcdef y d ${z} end");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "x ")) == "x ");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "345")) == "${LONG}");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "y")) == "y");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "d ")) == "${S:-d} ");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "${z}")) == "$${z}");
  CHECK(WrittenAs(PlaceOf(parsed, "a", "end")) == "end");
}

TEST_CASE("ErrorInText reports the part and the path", "[config][unit]") {
  const ParsedText parsed("t:\n  where: |\n    a and\n    bad\n");
  const Node& where = *parsed.root().Find("t")->Find("where");
  const Diagnostic diagnostic =
      ErrorInText(where, 6, 9, codes::kUnknownColumn, "unknown column 'bad' in expression");
  CHECK(RenderText(diagnostic, Colour::kOff) ==
        "job.yaml:4:5: error: unknown column 'bad' in expression [E0203]\n"
        "   |\n4  |     bad\n   |     ^^^\n");
  CHECK(diagnostic.path == "/t/where");
}

TEST_CASE("ScalarPositions maps every letter of random scalars", "[config][unit]") {
  const char* const given = std::getenv("WEIR_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20'240'611;
  CAPTURE(seed);
  base::Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    // Words with a unique letter each, between every kind of white space and escape.
    std::string body;
    const std::string styles[] = {"", "'", "\"", "|", "|-", "|+"};
    const std::string& style = styles[random.Below(6)];
    const bool is_block = style.substr(0, 1) == "|";
    const std::string separators[] = {" ",
                                      "  ",
                                      "\n  ",
                                      " \n\n  ",
                                      "\n\n\n  ",
                                      style == "'" ? "''" : "-",
                                      style == "\"" ? "\\t" : "_",
                                      style == "\"" ? "\\\n   " : "+"};
    for (char letter = 'a'; letter < 'a' + 8; ++letter) {
      if (letter != 'a') body += separators[random.Below(8)];
      body += letter;
    }
    const std::string quote = is_block ? "" : style;
    const std::string text =
        "k: " + (is_block ? style + "\n  " : quote) + body + quote + (random.Below(2) ? "\n" : "");
    CAPTURE(text);
    const ParsedText parsed(text);
    REQUIRE(parsed.document != nullptr);
    const Node& node = *parsed.root().Find("k");
    const ScalarPositions positions(node);
    for (size_t i = 0; i < node.text().size(); ++i) {
      const char c = node.text()[i];
      if (c < 'a' || c > 'h') continue;
      CAPTURE(i, c);
      REQUIRE(text[positions.FileOffset(i)] == c);
    }
  }
}

}  // namespace weir::config
