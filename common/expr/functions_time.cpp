// The time functions.
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/expr/function_defs.h"
#include "common/expr/kernels_time.h"

namespace weir::expr {
namespace {

using types::kTimestampType;
using types::TypeKind;

constexpr TypeKind kText = TypeKind::kString;
constexpr types::DataType kAnyDecimal{.kind = TypeKind::kDecimal};

// Takes the constant field name in front away.
absl::Status TakeField(CallSpec* spec, size_t* bad_arg, StringView known, TimeField* field) {
  *bad_arg = 0;
  const absl::optional<StringView> name = ConstantText(*spec->args[0]);
  if (!name) return absl::InvalidArgumentError("the field must be a constant string");
  const absl::optional<TimeField> found = FindTimeField(*name);
  if (!found) {
    return absl::InvalidArgumentError(absl::StrCat("no field '", *name, "'; there are ", known));
  }
  *field = *found;
  spec->prepared = std::make_shared<const TimeField>(*found);
  spec->args.erase(spec->args.begin());
  return absl::OkStatus();
}

absl::Status PrepareTruncate(CallSpec* spec, size_t* bad_arg) {
  TimeField field{};
  WEIR_RETURN_IF_ERROR(TakeField(spec, bad_arg, TruncateFieldNames(), &field));
  if (!CanTruncateTo(field)) {
    return absl::InvalidArgumentError(
        absl::StrCat("date_trunc has no such field; there are ", TruncateFieldNames()));
  }
  // Of a date it gives a timestamp, too.
  const TextRange range = spec->args[0]->range();
  spec->args[0] = MakeCast(std::move(spec->args[0]), kTimestampType, range);
  return absl::OkStatus();
}

absl::Status PrepareExtract(CallSpec* spec, size_t* bad_arg) {
  TimeField field{};
  WEIR_RETURN_IF_ERROR(TakeField(spec, bad_arg, ExtractFieldNames(), &field));
  const TypeKind from = spec->args[0]->type().kind;
  if (!CanExtract(field, from)) {
    return absl::InvalidArgumentError("a date has no field smaller than a day");
  }
  spec->type = ExtractResultType(field, from);
  return absl::OkStatus();
}

absl::Status PrepareFormat(CallSpec* spec, size_t* bad_arg) {
  *bad_arg = 1;
  const absl::optional<StringView> text = ConstantText(*spec->args[1]);
  if (!text) return absl::InvalidArgumentError("the format must be a constant string");
  absl::StatusOr<TimestampFormat> format = TimestampFormat::Compile(*text);
  if (!format.ok()) return format.status();
  spec->prepared = std::make_shared<const TimestampFormat>(*std::move(format));
  spec->args.pop_back();
  return absl::OkStatus();
}

}  // namespace

std::vector<FunctionDef> TimeFunctions() {
  return {
      {{"date_trunc", "time",
        "date_trunc(field string, timestamp) -> timestamp\n"
        "date_trunc(field string, date) -> timestamp",
        "The start (UTC) of the second, minute, hour, day, week, month, ... that it is in"},
       {{{kText, TypeKind::kTimestamp},
         kTimestampType,
         &TruncateKernel,
         Failing::kPossible,
         &PrepareTruncate},
        {{kText, TypeKind::kDate},
         kTimestampType,
         &TruncateKernel,
         Failing::kPossible,
         &PrepareTruncate}}},
      {{"extract", "time",
        "extract(field from timestamp) -> decimal\nextract(field from date) -> decimal",
        "One field (UTC): year, month, day, hour, minute, second, dow, doy, week, epoch, ..."},
       {{{kText, TypeKind::kTimestamp},
         kAnyDecimal,
         &ExtractTimestampKernel,
         Failing::kPossible,
         &PrepareExtract},
        {{kText, TypeKind::kDate},
         kAnyDecimal,
         &ExtractDateKernel,
         Failing::kPossible,
         &PrepareExtract}}},
      {{"to_timestamp", "time",
        "to_timestamp(string, format string) -> timestamp\n"
        "to_timestamp(seconds double) -> timestamp",
        "The time (UTC) that a text gives in a format such as 'YYYY/MM/DD HH24:MI', or so many "
        "seconds after 1970"},
       {{{kText, kText}, kTimestampType, &ParseTimestampKernel, Failing::kPossible, &PrepareFormat},
        {{TypeKind::kDouble}, kTimestampType, &EpochToTimestampKernel, Failing::kPossible}}},
  };
}

}  // namespace weir::expr
