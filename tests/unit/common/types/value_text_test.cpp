#include "common/types/value_text.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "common/types/datetime.h"

namespace weir::types {
namespace {

bool Parses(StringView text, const DataType& type) {
  Slot slot;
  return ParseValueText(text, type, &slot);
}

int64_t Integer(StringView text, const DataType& type) {
  Slot slot;
  REQUIRE(ParseValueText(text, type, &slot));
  return slot.integer;
}

double Real(StringView text) {
  Slot slot;
  REQUIRE(ParseValueText(text, kDoubleType, &slot));
  return slot.real;
}

std::string DoubleText(double value) {
  std::string text;
  AppendDouble(value, &text);
  return text;
}

}  // namespace

TEST_CASE("Integers are read to their limits and not one beyond", "[types][unit]") {
  CHECK(Integer(" 42 ", kInt64Type) == 42);
  CHECK(Integer("+7", kInt64Type) == 7);
  CHECK(Integer("9223372036854775807", kInt64Type) == INT64_MAX);
  CHECK(Integer("-9223372036854775808", kInt64Type) == INT64_MIN);
  CHECK_FALSE(Parses("9223372036854775808", kInt64Type));
  CHECK(Integer("2147483647", kInt32Type) == INT32_MAX);
  CHECK_FALSE(Parses("2147483648", kInt32Type));
  CHECK_FALSE(Parses("-2147483649", kInt32Type));
  for (const char* bad : {"", " ", "1.0", "1e3", "0x10", "12a", "+-1", "--1", "+", "1 2"}) {
    CAPTURE(bad);
    CHECK_FALSE(Parses(bad, kInt64Type));
  }
}

TEST_CASE("Doubles are read with names for what is no number", "[types][unit]") {
  CHECK(Real("1.5e3") == 1500);
  CHECK(Real("-.5") == -0.5);
  CHECK(std::isnan(Real("nan")));
  CHECK(Real("-Infinity") == -INFINITY);
  CHECK(Real("inf") == INFINITY);
  for (const char* bad : {"", "abc", "1.5x", "0x1p3", "nano", "- 1", "1e400", "--1"}) {
    CAPTURE(bad);
    CHECK_FALSE(Parses(bad, kDoubleType));
  }
}

TEST_CASE("Doubles are written in the shortest form that reads back", "[types][unit]") {
  CHECK(DoubleText(0.1) == "0.1");
  CHECK(DoubleText(100) == "100");
  CHECK(DoubleText(1e22) == "1e+22");
  CHECK(DoubleText(0.1 + 0.2) == "0.30000000000000004");
  CHECK(DoubleText(NAN) == "NaN");
  CHECK(DoubleText(-INFINITY) == "-Infinity");
}

TEST_CASE("Booleans, dates, timestamps and decimals are read from their text", "[types][unit]") {
  CHECK(Integer("TRUE", kBoolType) == 1);
  CHECK(Integer("f", kBoolType) == 0);
  CHECK_FALSE(Parses("yes!", kBoolType));
  CHECK(Integer("1970-01-02", kDateType) == 1);
  CHECK_FALSE(Parses("1970-02-30", kDateType));
  CHECK(Integer("1970-01-01T00:00:01Z", kTimestampType) == kMicrosPerSecond);
  CHECK_FALSE(Parses("yesterday", kTimestampType));
  Slot slot;
  REQUIRE(ParseValueText("12.345", DecimalType(5, 2), &slot));
  CHECK(slot.decimal == 1235);
  CHECK_FALSE(Parses("1234.5", DecimalType(5, 2)));
}

}  // namespace weir::types
