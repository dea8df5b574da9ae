// What must hold: decimals parse, round half away from zero, print and rescale exactly, and what
// does not fit is said, never wrapped.
#include "common/types/decimal.h"

#include <catch2/catch.hpp>

#include "common/base/random.h"

namespace weir::types {
namespace {

TEST_CASE("Decimals parse and print exactly", "[types][unit]") {
  CHECK(ParseDecimal("12.30", 12, 2) == Int128{1230});
  CHECK(ParseDecimal("-0.05", 12, 2) == Int128{-5});
  CHECK(ParseDecimal("+7", 3, 1) == Int128{70});
  CHECK(ParseDecimal(".5", 3, 1) == Int128{5});
  CHECK(ParseDecimal("1.5e2", 5, 1) == Int128{1500});
  CHECK(ParseDecimal("15e-1", 5, 1) == Int128{15});
  CHECK(FormatDecimal(-1230, 2) == "-12.30");
  CHECK(FormatDecimal(5, 3) == "0.005");
  CHECK(FormatDecimal(0, 2) == "0.00");
  CHECK(FormatDecimal(42, 0) == "42");
}

TEST_CASE("Dropped digits round half away from zero", "[types][unit]") {
  CHECK(ParseDecimal("2.345", 5, 2) == Int128{235});
  CHECK(ParseDecimal("-2.345", 5, 2) == Int128{-235});
  CHECK(ParseDecimal("2.344", 5, 2) == Int128{234});
  CHECK(Rescale(15, 1, 0) == Int128{2});
  CHECK(Rescale(-15, 1, 0) == Int128{-2});
  CHECK(Rescale(14, 1, 0) == Int128{1});
}

TEST_CASE("What is no decimal or does not fit is refused", "[types][unit]") {
  for (const char* text : {"", ".", "-", "1.2.3", "1e", "1e2000", "abc", "1 ", "0x1"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseDecimal(text, 10, 2).has_value());
  }
  CHECK_FALSE(ParseDecimal("100", 2, 0).has_value());
  CHECK_FALSE(ParseDecimal("9.995", 3, 2).has_value());  // rounds to 10.00
  CHECK_FALSE(Rescale(PowerOfTen(37), 0, 2).has_value());
}

TEST_CASE("The largest decimals survive their text", "[types][unit]") {
  const Int128 largest = PowerOfTen(38) - 1;
  for (const int scale : {0, 1, 19, 38}) {
    for (const Int128 value : {largest, -largest}) {
      CHECK(ParseDecimal(FormatDecimal(value, scale), 38, scale) == value);
    }
  }
  CHECK_FALSE(FitsPrecision(PowerOfTen(38), 38));
}

TEST_CASE("Any decimal survives its text", "[types][unit]") {
  base::Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const int scale = static_cast<int>(random.Below(20));
    const Int128 value = (Int128{random.Between(-1000000, 1000000)} << random.Below(60)) / 3;
    CHECK(ParseDecimal(FormatDecimal(value, scale), 38, scale) == value);
  }
}

}  // namespace
}  // namespace weir::types
