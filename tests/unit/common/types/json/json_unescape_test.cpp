#include "common/types/json/json_unescape.h"

#include <catch2/catch.hpp>

namespace weir::types {
namespace {

std::string Unescaped(StringView escaped) {
  std::string text;
  CAPTURE(escaped);
  REQUIRE(AppendUnescaped(escaped, &text));
  CHECK(text.size() <= escaped.size());
  return text;
}

}  // namespace

TEST_CASE("Escapes stand for their characters", "[types][unit]") {
  CHECK(Unescaped("") == "");
  CHECK(Unescaped("plain") == "plain");
  CHECK(Unescaped(R"(a\"b\\c\/d)") == "a\"b\\c/d");
  CHECK(Unescaped(R"(\b\f\n\r\t)") == "\b\f\n\r\t");
  CHECK(Unescaped(R"(\u0041\u00e9\u20AC)") == "A\xC3\xA9\xE2\x82\xAC");
  CHECK(Unescaped(R"(\ud83d\ude00!)") == "\xF0\x9F\x98\x80!");
  CHECK(Unescaped(R"(\uFFFF\u07ff\u0800)") == "\xEF\xBF\xBF\xDF\xBF\xE0\xA0\x80");
  CHECK(Unescaped(R"(\u0000)") == std::string(1, '\0'));
}

TEST_CASE("Escapes that stand for nothing are refused", "[types][unit]") {
  for (const char* bad :
       {R"(\)", R"(a\)", R"(\x41)", R"(\u)", R"(\u12)", R"(\u12g4)", R"(\ud83d)", R"(\ude00)",
        R"(\ud83dx)", R"(\ud83d\n)", R"(\ud83d\u0041)", R"(\ud83d\ud83d)", R"(\N)"}) {
    CAPTURE(bad);
    std::string text;
    CHECK_FALSE(AppendUnescaped(bad, &text));
  }
}

}  // namespace weir::types
