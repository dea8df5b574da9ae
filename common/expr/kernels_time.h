// Kernels of date_trunc, extract and to_timestamp. All times are UTC.
#pragma once

#include <memory>

#include <absl/types/optional.h>

#include "common/expr/kernel.h"
#include "common/expr/timestamp_format.h"

namespace weir::expr {

// What date_trunc cuts to and extract takes out.
enum class TimeField : uint8_t {
  kMicrosecond,
  kMillisecond,
  kSecond,
  kMinute,
  kHour,
  kDay,
  kWeek,
  kMonth,
  kQuarter,
  kYear,
  kDecade,
  kCentury,
  kMillennium,
  kDayOfWeek,  // from here on extract only
  kIsoDayOfWeek,
  kDayOfYear,
  kIsoYear,
  kEpoch,
};

// Names as PostgreSQL has them; case does not count, a plural s is allowed where it is there.
absl::optional<TimeField> FindTimeField(StringView name);
// For messages: the names, by commas.
StringView TruncateFieldNames();
StringView ExtractFieldNames();

inline bool CanTruncateTo(TimeField field) {
  return field <= TimeField::kMillennium;
}

// A date has no field smaller than a day.
bool CanExtract(TimeField field, types::TypeKind from);

// The decimal that extract gives; its scale is that of PostgreSQL's numeric: 6 for seconds and
// epochs, 3 for milliseconds, else 0.
types::DataType ExtractResultType(TimeField field, types::TypeKind from);

// One argument, a timestamp; the TimeField is `prepared`.
void TruncateKernel(const KernelCall& call, Vector* result);
// The same of a timestamp or a date.
void ExtractTimestampKernel(const KernelCall& call, Vector* result);
void ExtractDateKernel(const KernelCall& call, Vector* result);

// One argument, a string; the TimestampFormat is `prepared`.
void ParseTimestampKernel(const KernelCall& call, Vector* result);

// to_timestamp(double): seconds since 1970.
void EpochToTimestampKernel(const KernelCall& call, Vector* result);

}  // namespace weir::expr
