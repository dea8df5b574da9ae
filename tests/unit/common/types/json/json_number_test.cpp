#include "common/types/json/json_number.h"

#include <catch2/catch.hpp>

namespace weir::types {

TEST_CASE("IsJsonNumber accepts what RFC 8259 calls a number and nothing else", "[types][unit]") {
  for (const char* good : {"0", "-0", "12", "-12.50", "0.1", "1e5", "1E+5", "1.25e-10"}) {
    CAPTURE(good);
    CHECK(IsJsonNumber(good));
  }
  for (const char* bad : {"", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "1 ", "0x1", "NaN",
                          "1.2.3", "--1", "1e5.0"}) {
    CAPTURE(bad);
    CHECK_FALSE(IsJsonNumber(bad));
  }
}

}  // namespace weir::types
