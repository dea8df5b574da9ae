#include "common/types/utf8.h"

#include <string>

#include <catch2/catch.hpp>

namespace weir::types {

TEST_CASE("UTF-8 of every length is valid", "[types][unit]") {
  CHECK(IsValidUtf8(""));
  CHECK(IsValidUtf8("plain text longer than one word"));
  CHECK(IsValidUtf8(
      "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF \xED\x9F\xBF \xEE\x80\x80"));
  CHECK(IsValidUtf8(StringView("\0", 1)));
}

TEST_CASE("UTF-8 that is overlong, cut, a surrogate or too large is not valid", "[types][unit]") {
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x9F\xBF", "\xE2\x82",
                          "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xFF", "\xE2(\xA1", "\xF0\x9F\x98("}) {
    CAPTURE(bad);
    CHECK(ValidUtf8Prefix(bad) == 0);
    CHECK(ValidUtf8Prefix(std::string("12345678901") + bad) == 11);
  }
}

}  // namespace weir::types
