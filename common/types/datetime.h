// Dates and timestamps: calendar arithmetic and their ISO 8601 text.
// The calendar is the proleptic Gregorian one, without leap seconds; no time zone but UTC is known.
#pragma once

#include <cstdint>
#include <string>

#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::types {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerMinute = 60 * kMicrosPerSecond;
inline constexpr int64_t kMicrosPerHour = 60 * kMicrosPerMinute;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;

struct CivilDate {
  int64_t year = 1970;
  int month = 1;  // 1..12
  int day = 1;    // 1..31
};

constexpr bool IsLeapYear(int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

// REQUIRES: 1 <= month <= 12.
constexpr int DaysInMonth(int64_t year, int month) {
  if (month == 2) return IsLeapYear(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Days since 1970-01-01. REQUIRES: a month and day that exist; |year| < 10^9.
constexpr int64_t DaysFromCivil(int64_t year, int month, int day) {
  // Years start in March here, so that the leap day is the last of its year.
  const int64_t y = month <= 2 ? year - 1 : year;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

// REQUIRES: |days| < 10^11.
constexpr CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + 719468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t march_month = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1);
  const int month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

// What parsing accepts and computing may produce: the years 1 to 9999, as ISO 8601 and SQL have it.
inline constexpr int32_t kDateMin = static_cast<int32_t>(DaysFromCivil(1, 1, 1));
inline constexpr int32_t kDateMax = static_cast<int32_t>(DaysFromCivil(9999, 12, 31));
inline constexpr int64_t kTimestampMin = kDateMin * kMicrosPerDay;
inline constexpr int64_t kTimestampMax = (kDateMax + int64_t{1}) * kMicrosPerDay - 1;

constexpr bool IsDateInRange(int64_t days) {
  return days >= kDateMin && days <= kDateMax;
}
constexpr bool IsTimestampInRange(int64_t micros) {
  return micros >= kTimestampMin && micros <= kTimestampMax;
}

// The day a timestamp is in, and the microseconds since its midnight; right before 1970, too.
constexpr int64_t DayOfTimestamp(int64_t micros) {
  const int64_t day = micros / kMicrosPerDay;
  return micros % kMicrosPerDay < 0 ? day - 1 : day;
}
constexpr int64_t TimeOfDay(int64_t micros) {
  const int64_t rest = micros % kMicrosPerDay;
  return rest < 0 ? rest + kMicrosPerDay : rest;
}

struct CivilTime {
  CivilDate date;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int micros = 0;  // 0..999999
};

CivilTime CivilFromTimestamp(int64_t micros);

// Microseconds since 1970-01-01 UTC. nullopt: a field out of its range (hour 24 is midnight of the
// next day if the rest is 0; second 60 is not accepted), or outside kTimestampMin..Max.
absl::optional<int64_t> TimestampFromCivil(const CivilTime& time);
// nullopt: no such day, or outside kDateMin..Max.
absl::optional<int32_t> DateFromCivil(int64_t year, int64_t month, int64_t day);

// Parses "YYYY-MM-DD", then optionally "T" or " " and "HH:MM[:SS[.f]]", then optionally "Z" or
// "±HH[[:]MM]" (a blank may stand before it); UTC if no offset is written. More than six digits
// behind the point are rounded. Blanks around the text are ignored.
// nullopt: not such a text, or outside kTimestampMin..Max.
absl::optional<int64_t> ParseTimestamp(StringView text);

// Parses "YYYY-MM-DD"; blanks around it are ignored.
absl::optional<int32_t> ParseDate(StringView text);

// "2026-01-01T12:30:00Z", with as many digits behind the point as are needed. Values outside the
// range give a longer or negative year, never a wrong one.
std::string FormatTimestamp(int64_t micros);
// "2026-01-01".
std::string FormatDate(int64_t days);

// The same without allocation: append to `out`.
void AppendTimestamp(int64_t micros, std::string* out);
void AppendDate(int64_t days, std::string* out);

// As PostgreSQL casts a timestamptz to text when the time zone is UTC: "2026-01-01 12:30:00+00".
void AppendTimestampAsSql(int64_t micros, std::string* out);

}  // namespace weir::types
