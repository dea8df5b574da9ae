// What must hold: dates and timestamps compute in UTC, over all years, as PostgreSQL does.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

std::string Trunc(const std::string& field, const std::string& time) {
  return Eval("date_trunc('" + field + "', timestamptz '" + time + "')");
}

std::string Extract(const std::string& field, const std::string& time) {
  return Eval("extract(" + field + " from timestamptz '" + time + "')");
}

std::string Read(const std::string& text, const std::string& format) {
  return Eval("to_timestamp('" + text + "' || coalesce(s, ''), '" + format + "')");
}

std::string FormatError(const std::string& format) {
  return BindErrorOf("to_timestamp(s, '" + format + "')");
}

}  // namespace

TEST_CASE("date_trunc goes back to the start of a field", "[expr][unit]") {
  const std::string time = "2024-08-15 13:45:59.123456Z";
  CHECK(Trunc("microseconds", time) == "2024-08-15T13:45:59.123456Z");
  CHECK(Trunc("milliseconds", time) == "2024-08-15T13:45:59.123Z");
  CHECK(Trunc("second", time) == "2024-08-15T13:45:59Z");
  CHECK(Trunc("minute", time) == "2024-08-15T13:45:00Z");
  CHECK(Trunc("hour", time) == "2024-08-15T13:00:00Z");
  CHECK(Trunc("day", time) == "2024-08-15T00:00:00Z");
  CHECK(Trunc("week", time) == "2024-08-12T00:00:00Z");
  CHECK(Trunc("MONTH", time) == "2024-08-01T00:00:00Z");
  CHECK(Trunc("quarter", time) == "2024-07-01T00:00:00Z");
  CHECK(Trunc("year", time) == "2024-01-01T00:00:00Z");
  CHECK(Trunc("decade", time) == "2020-01-01T00:00:00Z");
  CHECK(Trunc("century", time) == "2001-01-01T00:00:00Z");
  CHECK(Trunc("millennium", time) == "2001-01-01T00:00:00Z");
  // Before 1970 as well.
  CHECK(Trunc("hour", "1969-12-31 23:59:59.5Z") == "1969-12-31T23:00:00Z");
  CHECK(Trunc("week", "1969-12-31 23:59:59.5Z") == "1969-12-29T00:00:00Z");
  CHECK(Eval("date_trunc('month', date '2024-08-15')") == "2024-08-01T00:00:00Z");
  CHECK(TypeOf("date_trunc('month', dt)") == "timestamp");
}

TEST_CASE("extract takes fields as decimals with PostgreSQL's scale", "[expr][unit]") {
  const std::string time = "2024-12-30 13:45:59.123456Z";
  CHECK(Extract("year", time) == "2024");
  CHECK(Extract("isoyear", time) == "2025");
  CHECK(Extract("week", time) == "1");
  CHECK(Extract("quarter", time) == "4");
  CHECK(Extract("month", time) == "12");
  CHECK(Extract("day", time) == "30");
  CHECK(Extract("dow", time) == "1");
  CHECK(Extract("isodow", "2024-12-29 00:00Z") == "7");
  CHECK(Extract("dow", "2024-12-29 00:00Z") == "0");
  CHECK(Extract("doy", time) == "365");
  CHECK(Extract("hour", time) == "13");
  CHECK(Extract("minute", time) == "45");
  CHECK(Extract("second", time) == "59.123456");
  CHECK(Extract("milliseconds", time) == "59123.456");
  CHECK(Extract("microseconds", time) == "59123456");
  CHECK(Extract("epoch", "1969-12-31 23:59:59.5Z") == "-0.500000");
  CHECK(Extract("century", "2000-01-01 00:00Z") == "20");
  CHECK(Eval("extract(epoch from date '1970-01-02')") == "86400");
  CHECK(BindErrorOf("extract(hour from dt)").substr(0, 5) == "E0208");
  // A quotient is not truncated.
  CHECK(Eval("extract(year from date '2025-01-01') / 2") == "1012.5000000000000000");
}

TEST_CASE("to_timestamp reads formats", "[expr][unit]") {
  CHECK(Read("2001/01/01 00:47", "YYYY/MM/DD HH24:MI") == "2001-01-01T00:47:00Z");
  CHECK(Read("2001-2-3", "YYYY-MM-DD") == "2001-02-03T00:00:00Z");
  CHECK(Read("20010203040506", "yyyymmddhh24miss") == "2001-02-03T04:05:06Z");
  CHECK(Read("2001-02-03 11:59:59.5 pm", "YYYY-MM-DD HH12:MI:SS.MS AM") ==
        "2001-02-03T23:59:59.5Z");
  CHECK(Read("2001-02-03 12:00 am", "YYYY-MM-DD HH:MI PM") == "2001-02-03T00:00:00Z");
  CHECK(Read("2001-02-03T04:05:06.123456Z", "YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"") ==
        "2001-02-03T04:05:06.123456Z");
  CHECK(Read("2001", "YYYY") == "2001-01-01T00:00:00Z");
}

TEST_CASE("to_timestamp refuses texts that do not fit", "[expr][unit]") {
  for (const char* text : {"2001-02-30", "2001-13-01", "2001-02", "2001-02-03x", "2001/02/03", "x",
                           "", "2001-02-03 "}) {
    CAPTURE(text);
    const bool refused = Read(text, "YYYY-MM-DD").substr(0, 5) == "error";
    CHECK(refused == (StringView(text) != "2001-02-03 "));
  }
  CHECK(Read("2001-01-01 25:00", "YYYY-MM-DD HH24:MI").substr(0, 5) == "error");
  CHECK(Read("2001-01-01 13:00", "YYYY-MM-DD HH12:MI").substr(0, 5) == "error");
  CHECK(Read("2001-01-01 24:00", "YYYY-MM-DD HH24:MI").substr(0, 5) == "error");
  CHECK(Read("0000-01-01", "YYYY-MM-DD").substr(0, 5) == "error");
}

TEST_CASE("A format that cannot mean a time is an error of binding", "[expr][unit]") {
  CHECK(FormatError("yyyy/MM/dd HH:mm") ==
        "E0208@16+18 to_timestamp: the format has MM twice; minutes are MI");
  CHECK(FormatError("DD HH24").find("no year") != std::string::npos);
  CHECK(FormatError("YYYY-Q").find("no pattern at 'Q'") != std::string::npos);
  CHECK(FormatError("YYYY HH24 AM").find("HH24 does not go with") != std::string::npos);
  CHECK(FormatError("YYYY MS US").find("both MS and US") != std::string::npos);
}

TEST_CASE("to_timestamp takes seconds since 1970", "[expr][unit]") {
  CHECK(Eval("to_timestamp(0)") == "1970-01-01T00:00:00Z");
  CHECK(Eval("to_timestamp(-1.25)") == "1969-12-31T23:59:58.75Z");
  CHECK(Eval("to_timestamp(1e18)") == "error: timestamp out of range");
  CHECK(Eval("to_timestamp('nan'::double)") == "error: timestamp out of range");
}

TEST_CASE("Dates add days and differ in days", "[expr][unit]") {
  CHECK(Eval("date '2024-02-28' + 1") == "2024-02-29");
  CHECK(Eval("1 + date '2023-02-28'") == "2023-03-01");
  CHECK(Eval("date '2024-03-01' - 1") == "2024-02-29");
  CHECK(Eval("date '2024-03-01' - date '2023-03-01'") == "366");
  CHECK(Eval("date '9999-12-31' + 1") == "error: date out of range");
  CHECK(Eval("date '0001-01-01' - 1") == "error: date out of range");
  CHECK(BindErrorOf("ts - ts").substr(0, 5) == "E0204");
  CHECK(BindErrorOf("dt * 2").substr(0, 5) == "E0204");
}

TEST_CASE("Dates and timestamps cast to each other in UTC", "[expr][unit]") {
  CHECK(Eval("(timestamptz '2024-01-01 00:30:00+01')::date") == "2023-12-31");
  CHECK(Eval("(date '2024-01-01')::timestamptz") == "2024-01-01T00:00:00Z");
  CHECK(Eval("'2024-01-01T10:00:00.25Z'::timestamptz") == "2024-01-01T10:00:00.25Z");
  CHECK(BindErrorOf("ts::int").substr(0, 5) == "E0204");
}

}  // namespace weir::expr
