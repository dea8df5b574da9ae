// What must hold: arithmetic and casts give PostgreSQL's values, and what does not fit is an error.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {

TEST_CASE("Integer arithmetic ends at the edges of its type", "[expr][unit]") {
  CHECK(Eval("2147483646 + 1") == "2147483647");
  CHECK(Eval("2147483647 + 1") == "error: int32 out of range");
  CHECK(Eval("-2147483648 - 1") == "error: int32 out of range");
  CHECK(Eval("65536 * 32768") == "error: int32 out of range");
  CHECK(Eval("-2147483648 / -1") == "error: int32 out of range");
  CHECK(Eval("-2147483648 % -1") == "0");
  CHECK(Eval("-(-2147483648)") == "2147483648");
  CHECK(Eval("-(i - 1)") == "NULL");
  CHECK(Eval("2147483648 + 1") == "2147483649");
  CHECK(Eval("9223372036854775807 + 1") == "error: int64 out of range");
  CHECK(Eval("-9223372036854775808 - 1") == "error: int64 out of range");
  CHECK(Eval("-9223372036854775808 / -1") == "error: int64 out of range");
  CHECK(Eval("-9223372036854775808 % -1") == "0");
  CHECK(Eval("4611686018427387904 * 2") == "error: int64 out of range");
  CHECK(Eval("abs(-2147483648)") == "error: int32 out of range");
  CHECK(Eval("abs(-9223372036854775808)") == "error: int64 out of range");
}

TEST_CASE("Division truncates integers and refuses zero", "[expr][unit]") {
  CHECK(Eval("-7 / 2") == "-3");
  CHECK(Eval("-7 % 3") == "-1");
  CHECK(Eval("7 % -3") == "1");
  for (const char* text : {"1 / 0", "1 % 0", "1.5 / 0", "1.5 % 0.0", "1e0 / 0", "0e0 / 0e0",
                           "9223372036854775807 / 0", "9223372036854775807 % 0"}) {
    CAPTURE(text);
    CHECK(Eval(text) == "error: division by zero");
  }
}

TEST_CASE("Doubles overflow and underflow as errors, infinities do not", "[expr][unit]") {
  CHECK(Eval("1e308 * 10") == "error: double out of range");
  CHECK(Eval("1e308 + 1e308") == "error: double out of range");
  CHECK(Eval("1e-300 * 1e-300") == "error: double out of range");
  CHECK(Eval("1e-300 / 1e300") == "error: double out of range");
  CHECK(Eval("'inf'::double + 1") == "inf");
  CHECK(Eval("1 / 'inf'::double") == "0");
}

TEST_CASE("Decimal arithmetic is exact to 38 digits", "[expr][unit]") {
  CHECK(Eval("0.1 + 0.2") == "0.3");
  CHECK(Eval("1.50 * 1.5") == "2.250");
  CHECK(Eval("10 / 4.0") == "2.5000000000000000");
  CHECK(Eval("1 / 3.0") == "0.3333333333333333");
  CHECK(Eval("2 / 3.0") == "0.6666666666666667");
  CHECK(Eval("-2 / 3.0") == "-0.6666666666666667");
  CHECK(Eval("7.0 % 2.5") == "2.0");
  CHECK(Eval("-7.5 % 2") == "-1.5");
  CHECK(Eval("99999999999999999999999999999999999999 + 1") == "error: decimal out of range");
  CHECK(Eval("99999999999999999999 * 99999999999999999999") == "error: decimal out of range");
  // The slow way through: the scaled dividend does not fit 128 bits.
  CHECK(Eval("12345678901234567890.123 / 12345678901234567890.123") == "1.000000000000000");
  CHECK(Eval("99999999999999999999999999999999999998 / 99999999999999999999999999999999999999") ==
        "1.000000");
  CHECK(BindErrorOf("0.00000000000000000001 * 0.0000000000000000001").substr(0, 5) == "E0204");
}

TEST_CASE("Casts round as PostgreSQL does", "[expr][unit]") {
  CHECK(Eval("0.5::double::int") == "0");
  CHECK(Eval("1.5::double::int") == "2");
  CHECK(Eval("2.5::double::int") == "2");
  CHECK(Eval("-2.5::double::int") == "-2");
  CHECK(Eval("2.5::int") == "3");
  CHECK(Eval("(-2.5)::int") == "-3");
  CHECK(Eval("2.345::decimal(12,2)") == "2.35");
  CHECK(Eval("(-2.345)::decimal(12,2)") == "-2.35");
  CHECK(Eval("0.1::double::decimal(20,18)") == "0.100000000000000000");
  CHECK(Eval("2147483647.4::double::int") == "2147483647");
  CHECK(Eval("2147483647.5::double::int") == "error: int32 out of range");
  CHECK(Eval("9223372036854775807::double::bigint") == "error: int64 out of range");
  CHECK(Eval("'nan'::double::int") == "error: int32 out of range");
  CHECK(Eval("3000000000::int") == "error: int32 out of range");
  CHECK(Eval("1234.5::decimal(5,2)") == "error: decimal out of range");
  CHECK(Eval("1e40::decimal(38,0)") == "error: decimal out of range");
  CHECK(Eval("0::bool") == "false");
  CHECK(Eval("true::int") == "1");
}

TEST_CASE("Text casts read and print as PostgreSQL does", "[expr][unit]") {
  CHECK(Eval("' +12 '::int") == "12");
  CHECK(Eval("' -9223372036854775808'::bigint") == "-9223372036854775808");
  CHECK(Eval("'1e3'::double") == "1000");
  CHECK(Eval("'1.005'::decimal(5,2)") == "1.01");
  CHECK(Eval("'Of'::bool") == "false");
  CHECK(Eval("1e20::string") == "1e+20");
  CHECK(Eval("1e15::string") == "1e+15");
  CHECK(Eval("123456789012345e0::string") == "123456789012345");
  CHECK(Eval("0.0001e0::string") == "0.0001");
  CHECK(Eval("0.00001e0::string") == "1e-05");
  CHECK(Eval("(-0e0)::string") == "-0");
  CHECK(Eval("'-inf'::double::string") == "-Infinity");
  CHECK(Eval("1.50::string") == "1.50");
  CHECK(Eval("timestamptz '2026-01-01 02:00:00.5+02'::string") == "2026-01-01 00:00:00.5+00");
  CHECK(Eval("date '2026-01-01'::string") == "2026-01-01");
  const auto batch = MakeBatch({"||||12||||||", "||||1x||||||", "||||99999999999||||||"});
  CHECK(EvalRows("s::int", batch) ==
        std::vector<std::string>{"12", "error: invalid input for type int32: \"1x\"", "error"});
}

TEST_CASE("round, floor and ceil follow the type's rule", "[expr][unit]") {
  CHECK(Eval("round(2.5)") == "3");
  CHECK(Eval("round(-2.5)") == "-3");
  CHECK(Eval("round(2.5e0)") == "2");
  CHECK(Eval("round(9.995, 2)") == "10.00");
  CHECK(Eval("round(1250, -2)") == "1300");
  CHECK(Eval("round(99, -2)") == "100");
  CHECK(Eval("round(1.5, 10)") == "1.5");
  CHECK(Eval("floor(-1.5)") == "-2");
  CHECK(Eval("ceil(-1.5)") == "-1");
  CHECK(Eval("ceiling(1.01)") == "2");
  CHECK(Eval("floor(1.5e0)") == "1");
  CHECK(Eval("abs(-1.5)") == "1.5");
  CHECK(TypeOf("round(i)") == "double");
  CHECK(TypeOf("round(m, 1)") == "decimal(12,1)");
  const auto batch = MakeBatch({"|1||||||9.99|||", "|-1||||||95.00|||", "|-99||||||95.00|||"});
  CHECK(EvalRows("round(m, i)", batch) == std::vector<std::string>{"10.00", "100.00", "0.00"});
}

}  // namespace weir::expr
