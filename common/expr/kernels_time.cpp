#include "common/expr/kernels_time.h"

#include <cmath>

#include <absl/strings/str_cat.h>

#include "common/expr/strings.h"
#include "common/types/datetime.h"

namespace weir::expr {
namespace {

using types::CivilDate;
using types::CivilFromDays;
using types::DayOfTimestamp;
using types::DaysFromCivil;
using types::Int128;
using types::kMicrosPerDay;
using types::TimeOfDay;

constexpr const char* kTimestampOutOfRange = "timestamp out of range";

// Days since the Monday of its week. 1970-01-01 was a Thursday.
int64_t DaysSinceMonday(int64_t day) {
  const int64_t shifted = (day + 3) % 7;
  return shifted < 0 ? shifted + 7 : shifted;
}

// The year that begins the decade, century or millennium. REQUIRES: year >= 1.
int64_t FirstYear(TimeField field, int64_t year) {
  if (field == TimeField::kDecade) return year / 10 * 10;
  const int64_t length = field == TimeField::kCentury ? 100 : 1000;
  return (year - 1) / length * length + 1;
}

// The first day of what `day` is in. REQUIRES: a field of days or more.
int64_t TruncateDay(TimeField field, int64_t day) {
  if (field == TimeField::kDay) return day;
  if (field == TimeField::kWeek) return day - DaysSinceMonday(day);
  const CivilDate date = CivilFromDays(day);
  switch (field) {
    case TimeField::kMonth:
      return DaysFromCivil(date.year, date.month, 1);
    case TimeField::kQuarter:
      return DaysFromCivil(date.year, (date.month - 1) / 3 * 3 + 1, 1);
    case TimeField::kYear:
      return DaysFromCivil(date.year, 1, 1);
    default:
      return DaysFromCivil(FirstYear(field, date.year), 1, 1);
  }
}

// 0 for days and longer.
int64_t FixedLength(TimeField field) {
  switch (field) {
    case TimeField::kMicrosecond:
      return 1;
    case TimeField::kMillisecond:
      return 1000;
    case TimeField::kSecond:
      return types::kMicrosPerSecond;
    case TimeField::kMinute:
      return types::kMicrosPerMinute;
    case TimeField::kHour:
      return types::kMicrosPerHour;
    default:
      return 0;
  }
}

// The ISO 8601 week and the year it belongs to.
struct IsoWeek {
  int64_t year = 0;
  int64_t week = 0;
};

IsoWeek IsoWeekOf(int64_t day) {
  // A week belongs to the year of its Thursday.
  const int64_t thursday = day - DaysSinceMonday(day) + 3;
  const int64_t year = CivilFromDays(thursday).year;
  return {year, (thursday - DaysFromCivil(year, 1, 1)) / 7 + 1};
}

// REQUIRES: a field of days or more.
int64_t ExtractFromDay(TimeField field, int64_t day) {
  switch (field) {
    case TimeField::kDayOfWeek:
      return (DaysSinceMonday(day) + 1) % 7;
    case TimeField::kIsoDayOfWeek:
      return DaysSinceMonday(day) + 1;
    case TimeField::kWeek:
      return IsoWeekOf(day).week;
    case TimeField::kIsoYear:
      return IsoWeekOf(day).year;
    default:
      break;
  }
  const CivilDate date = CivilFromDays(day);
  switch (field) {
    case TimeField::kDay:
      return date.day;
    case TimeField::kMonth:
      return date.month;
    case TimeField::kQuarter:
      return (date.month - 1) / 3 + 1;
    case TimeField::kDecade:
      return date.year / 10;
    case TimeField::kCentury:
      return (date.year + 99) / 100;
    case TimeField::kMillennium:
      return (date.year + 999) / 1000;
    case TimeField::kDayOfYear:
      return day - DaysFromCivil(date.year, 1, 1) + 1;
    default:
      return date.year;
  }
}

int64_t ExtractFromTimestamp(TimeField field, int64_t micros) {
  const int64_t of_day = TimeOfDay(micros);
  switch (field) {
    case TimeField::kMicrosecond:
    case TimeField::kMillisecond:
    case TimeField::kSecond:
      // One number of microseconds; the result types' scales differ.
      return of_day % types::kMicrosPerMinute;
    case TimeField::kMinute:
      return of_day / types::kMicrosPerMinute % 60;
    case TimeField::kHour:
      return of_day / types::kMicrosPerHour;
    case TimeField::kEpoch:
      return micros;
    default:
      return ExtractFromDay(field, DayOfTimestamp(micros));
  }
}

TimeField FieldOf(const KernelCall& call) {
  return *static_cast<const TimeField*>(call.expr.prepared());
}

}  // namespace

void TruncateKernel(const KernelCall& call, Vector* result) {
  const TimeField field = FieldOf(call);
  const int64_t length = FixedLength(field);
  TryMap<int64_t, int64_t>(call, result, {kTimestampOutOfRange},
                           [=](int64_t micros, int64_t* out) -> uint8_t {
                             *out = 0;
                             if (!types::IsTimestampInRange(micros)) return 1;
                             if (length > 0) {
                               const int64_t rest = micros % length;
                               *out = micros - (rest < 0 ? rest + length : rest);
                               return 0;
                             }
                             const int64_t day = TruncateDay(field, DayOfTimestamp(micros));
                             if (!types::IsDateInRange(day)) return 1;
                             *out = day * kMicrosPerDay;
                             return 0;
                           });
}

void ExtractTimestampKernel(const KernelCall& call, Vector* result) {
  const TimeField field = FieldOf(call);
  TryMap<int64_t, Int128>(call, result, {kTimestampOutOfRange},
                          [=](int64_t micros, Int128* out) -> uint8_t {
                            *out = 0;
                            if (!types::IsTimestampInRange(micros)) return 1;
                            *out = ExtractFromTimestamp(field, micros);
                            return 0;
                          });
}

void ExtractDateKernel(const KernelCall& call, Vector* result) {
  const TimeField field = FieldOf(call);
  TryMap<int32_t, Int128>(call, result, {"date out of range"},
                          [=](int32_t day, Int128* out) -> uint8_t {
                            *out = 0;
                            if (!types::IsDateInRange(day)) return 1;
                            const bool is_epoch = field == TimeField::kEpoch;
                            *out = is_epoch ? day * int64_t{86400} : ExtractFromDay(field, day);
                            return 0;
                          });
}

void ParseTimestampKernel(const KernelCall& call, Vector* result) {
  const auto& format = *static_cast<const TimestampFormat*>(call.expr.prepared());
  int64_t* out = call.NewZeroes<int64_t>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    if (result->IsNull(i)) continue;
    const StringView text = call.args[0].At<StringView>(i);
    const absl::optional<int64_t> micros = format.Parse(text);
    if (micros) {
      out[i] = *micros;
    } else {
      call.Fail(i, result, [text] {
        return absl::StrCat("not a time in the format of to_timestamp: \"", Excerpt(text), "\"");
      });
    }
  }
}

void EpochToTimestampKernel(const KernelCall& call, Vector* result) {
  TryMap<double, int64_t>(call, result, {kTimestampOutOfRange},
                          [](double seconds, int64_t* out) -> uint8_t {
                            *out = 0;
                            const double micros = std::nearbyint(seconds * 1e6);
                            const bool fits = micros >= static_cast<double>(types::kTimestampMin) &&
                                              micros <= static_cast<double>(types::kTimestampMax);
                            if (!fits) return 1;
                            *out = static_cast<int64_t>(micros);
                            return types::IsTimestampInRange(*out) ? 0 : 1;
                          });
}

}  // namespace weir::expr
