// What must hold: a byte offset becomes the line and column an editor shows.
#include "common/config/source_text.h"

#include <string>

#include <catch2/catch.hpp>

#include "common/config/utf8.h"

namespace weir::config {

TEST_CASE("SourceText counts columns in code points", "[config][unit]") {
  const SourceText source("a.yaml", "ä: ü\nb: c");
  CHECK(source.At(0) == LineColumn{1, 1});
  CHECK(source.At(4) == LineColumn{1, 4});
  CHECK(source.At(7) == LineColumn{2, 1});
  CHECK(source.At(10) == LineColumn{2, 4});
}

TEST_CASE("SourceText takes an offset past the end as the end", "[config][unit]") {
  const SourceText source("a.yaml", "ab\n");
  CHECK(source.LineCount() == 2);
  CHECK(source.At(99) == LineColumn{2, 1});
}

TEST_CASE("SourceText knows all three line breaks", "[config][unit]") {
  const SourceText source("a.yaml", "a\r\nb\rc\nd");
  REQUIRE(source.LineCount() == 4);
  CHECK(std::string(source.Line(1)) == "a");
  CHECK(std::string(source.Line(2)) == "b");
  CHECK(std::string(source.Line(3)) == "c");
  CHECK(std::string(source.Line(4)) == "d");
}

TEST_CASE("SourceRange names its place", "[config][unit]") {
  const SourcePtr source = MakeSource("q3.yaml", "a: 1\nbc: 2\n");
  CHECK(SourceRange{source, 6, 7}.ToString() == "q3.yaml:2:2");
  CHECK(SourceRange{}.ToString() == "unknown place");
}

TEST_CASE("FindInvalidUtf8 refuses what is no code point", "[config][unit]") {
  CHECK(FindInvalidUtf8("grüße €𝄞") == StringView::npos);
  CHECK(FindInvalidUtf8("ab\xC0\xAF") == 2);        // overlong
  CHECK(FindInvalidUtf8("\xED\xA0\x80") == 0);      // surrogate
  CHECK(FindInvalidUtf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(FindInvalidUtf8("\xF4\x8F\xBF\xBF") == StringView::npos);
  CHECK(FindInvalidUtf8("abc\xE2\x82") == 3);  // cut off
  CHECK(FindInvalidUtf8("\x80") == 0);
}

}  // namespace weir::config
