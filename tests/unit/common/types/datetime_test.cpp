// What must hold: days and civil dates are one to one over all years, and texts are ISO 8601.
#include "common/types/datetime.h"

#include <catch2/catch.hpp>

namespace weir::types {
namespace {

// The text of what was read; "-" if it was refused.
std::string Reread(StringView text) {
  const absl::optional<int64_t> micros = ParseTimestamp(text);
  return micros ? FormatTimestamp(*micros) : "-";
}

}  // namespace

TEST_CASE("Every day of the years 1 to 9999 survives the way to its civil date and back",
          "[types][unit]") {
  CivilDate expected{1, 1, 1};
  bool all_right = true;
  for (int64_t day = kDateMin; day <= kDateMax; ++day) {
    const CivilDate date = CivilFromDays(day);
    all_right = all_right && date.year == expected.year && date.month == expected.month &&
                date.day == expected.day;
    all_right = all_right && DaysFromCivil(date.year, date.month, date.day) == day;
    if (++expected.day <= DaysInMonth(expected.year, expected.month)) continue;
    expected.day = 1;
    if (++expected.month <= 12) continue;
    expected.month = 1;
    ++expected.year;
  }
  CHECK(all_right);
  CHECK(DaysFromCivil(1970, 1, 1) == 0);
  CHECK(DaysFromCivil(2000, 3, 1) == 11017);
}

TEST_CASE("Timestamps read as ISO 8601 with or without an offset", "[types][unit]") {
  CHECK(Reread("2026-01-01") == "2026-01-01T00:00:00Z");
  CHECK(Reread("2026-01-01T12:30") == "2026-01-01T12:30:00Z");
  CHECK(Reread("2026-01-01 12:30:05Z") == "2026-01-01T12:30:05Z");
  CHECK(Reread(" 2026-01-01t12:30:05.25z ") == "2026-01-01T12:30:05.25Z");
  CHECK(Reread("2026-01-01T00:00:00+02:00") == "2025-12-31T22:00:00Z");
  CHECK(Reread("2026-01-01 00:00:00 -0330") == "2026-01-01T03:30:00Z");
  CHECK(Reread("2026-01-01 00:00:00+05") == "2025-12-31T19:00:00Z");
  CHECK(Reread("2026-01-01 24:00") == "2026-01-02T00:00:00Z");
  CHECK(Reread("1969-12-31 23:59:59.9999996") == "1970-01-01T00:00:00Z");
  CHECK(Reread("1969-12-31 23:59:59.9999994") == "1969-12-31T23:59:59.999999Z");
}

TEST_CASE("Texts that are no timestamps are refused", "[types][unit]") {
  for (const char* text : {"",
                           "2026",
                           "2026-1-1",
                           "2026-02-29",
                           "2026-13-01",
                           "2026-00-01",
                           "2026-01-00",
                           "2026-01-01T",
                           "2026-01-01T12",
                           "2026-01-01T25:00",
                           "2026-01-01T24:01",
                           "2026-01-01T12:60",
                           "2026-01-01T12:30:60",
                           "2026-01-01T12:30:05.",
                           "2026-01-01T12:30:05x",
                           "2026-01-01T12:30+",
                           "2026-01-01T12:30+02:",
                           "2026-01-01T12:30+99",
                           "0000-01-01",
                           "0001-01-01T00:00+01",
                           "9999-12-31T23:59:59.9999999",
                           "-001-01-01",
                           "2026-01-01Z",
                           "2026/01/01",
                           "2026-01-01 12:30 PM"}) {
    CAPTURE(text);
    CHECK(Reread(text) == "-");
  }
}

TEST_CASE("Dates read and print", "[types][unit]") {
  CHECK(ParseDate(" 2024-02-29 ") == 19782);
  CHECK_FALSE(ParseDate("2024-02-30").has_value());
  CHECK_FALSE(ParseDate("2024-02-29T00:00").has_value());
  CHECK(FormatDate(19782) == "2024-02-29");
  CHECK(FormatDate(kDateMin) == "0001-01-01");
  CHECK(FormatDate(kDateMax) == "9999-12-31");
}

TEST_CASE("Values beyond the range still print", "[types][unit]") {
  CHECK(FormatTimestamp(kTimestampMax) == "9999-12-31T23:59:59.999999Z");
  CHECK(FormatTimestamp(kTimestampMax + 1) == "10000-01-01T00:00:00Z");
  CHECK(FormatTimestamp(INT64_MIN) == "-290308-12-21T19:59:05.224192Z");
  CHECK(FormatTimestamp(INT64_MAX) == "294247-01-10T04:00:54.775807Z");
}

TEST_CASE("Timestamps print as PostgreSQL casts them", "[types][unit]") {
  std::string text;
  AppendTimestampAsSql(*ParseTimestamp("2026-01-01T12:30:00.5Z"), &text);
  CHECK(text == "2026-01-01 12:30:00.5+00");
}

TEST_CASE("Civil fields are checked", "[types][unit]") {
  CHECK(TimestampFromCivil({{2026, 1, 1}, 1, 2, 3, 4}).has_value());
  CHECK_FALSE(TimestampFromCivil({{2026, 2, 29}, 1, 2, 3, 4}).has_value());
  CHECK_FALSE(TimestampFromCivil({{2026, 1, 1}, 24, 0, 0, 1}).has_value());
  CHECK_FALSE(TimestampFromCivil({{2026, 1, 1}, 1, 60, 0, 0}).has_value());
  CHECK_FALSE(TimestampFromCivil({{2026, 1, 1}, 1, 0, 0, 1'000'000}).has_value());
  const CivilTime time = CivilFromTimestamp(-1);
  CHECK(time.date.year == 1969);
  CHECK(time.hour == 23);
  CHECK(time.micros == 999'999);
}

}  // namespace weir::types
