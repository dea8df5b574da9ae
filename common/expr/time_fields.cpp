// The names of time fields, and what extract gives for each.
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include "common/expr/kernels_time.h"

namespace weir::expr {
namespace {

struct FieldName {
  const char* name;
  TimeField field;
};

constexpr FieldName kFieldNames[] = {{"microseconds", TimeField::kMicrosecond},
                                     {"microsecond", TimeField::kMicrosecond},
                                     {"milliseconds", TimeField::kMillisecond},
                                     {"millisecond", TimeField::kMillisecond},
                                     {"second", TimeField::kSecond},
                                     {"seconds", TimeField::kSecond},
                                     {"minute", TimeField::kMinute},
                                     {"minutes", TimeField::kMinute},
                                     {"hour", TimeField::kHour},
                                     {"hours", TimeField::kHour},
                                     {"day", TimeField::kDay},
                                     {"days", TimeField::kDay},
                                     {"week", TimeField::kWeek},
                                     {"weeks", TimeField::kWeek},
                                     {"month", TimeField::kMonth},
                                     {"months", TimeField::kMonth},
                                     {"quarter", TimeField::kQuarter},
                                     {"year", TimeField::kYear},
                                     {"years", TimeField::kYear},
                                     {"decade", TimeField::kDecade},
                                     {"century", TimeField::kCentury},
                                     {"millennium", TimeField::kMillennium},
                                     {"dow", TimeField::kDayOfWeek},
                                     {"isodow", TimeField::kIsoDayOfWeek},
                                     {"doy", TimeField::kDayOfYear},
                                     {"isoyear", TimeField::kIsoYear},
                                     {"epoch", TimeField::kEpoch}};

// All but the microseconds of a minute fit.
constexpr int kSmallPrecision = 10;
constexpr int kEpochPrecision = 20;

}  // namespace

absl::optional<TimeField> FindTimeField(StringView name) {
  for (const FieldName& entry : kFieldNames) {
    if (absl::EqualsIgnoreCase(name, entry.name)) return entry.field;
  }
  return absl::nullopt;
}

StringView TruncateFieldNames() {
  return "microseconds, milliseconds, second, minute, hour, day, week, month, quarter, year, "
         "decade, century, millennium";
}

StringView ExtractFieldNames() {
  return "microseconds, milliseconds, second, minute, hour, day, dow, isodow, doy, week, month, "
         "quarter, year, isoyear, decade, century, millennium, epoch";
}

bool CanExtract(TimeField field, types::TypeKind from) {
  return from == types::TypeKind::kTimestamp || field > TimeField::kHour;
}

types::DataType ExtractResultType(TimeField field, types::TypeKind from) {
  switch (field) {
    case TimeField::kSecond:
      return types::DecimalType(kSmallPrecision, 6);
    case TimeField::kMillisecond:
      return types::DecimalType(kSmallPrecision, 3);
    case TimeField::kEpoch:
      return types::DecimalType(kEpochPrecision, from == types::TypeKind::kDate ? 0 : 6);
    default:
      return types::DecimalType(kSmallPrecision, 0);
  }
}

}  // namespace weir::expr
