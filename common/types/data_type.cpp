#include "common/types/data_type.h"

#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

namespace weir::types {
namespace {

StringView KindName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kNull:
      return "null";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt32:
      return "int32";
    case TypeKind::kInt64:
      return "int64";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kString:
      return "string";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kDecimal:
      return "decimal";
    case TypeKind::kArray:
      return "array";
  }
  return "unknown";
}

// The number of digits a decimal without arguments has, and where its point is.
constexpr int kDecimalDefaultPrecision = 38;

absl::optional<DataType> ParseDecimalArguments(StringView arguments) {
  const std::pair<StringView, StringView> parts =
      absl::StrSplit(arguments, absl::MaxSplits(',', 1));
  int precision = 0;
  int scale = 0;
  if (!absl::SimpleAtoi(parts.first, &precision)) return absl::nullopt;
  if (absl::StrContains(arguments, ",") && !absl::SimpleAtoi(parts.second, &scale)) {
    return absl::nullopt;
  }
  if (precision < 1 || precision > kDecimalPrecisionMax || scale < 0 || scale > precision) {
    return absl::nullopt;
  }
  return DecimalType(precision, scale);
}

}  // namespace

std::string DataType::ToString() const {
  if (kind == TypeKind::kDecimal) {
    return absl::StrCat("decimal(", static_cast<int>(precision), ",", static_cast<int>(scale), ")");
  }
  if (kind == TypeKind::kArray) return absl::StrCat("array<", ElementType().ToString(), ">");
  return std::string(KindName(kind));
}

size_t FixedWidth(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return 1;
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return 4;
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
    case TypeKind::kDouble:
      return 8;
    case TypeKind::kDecimal:
      return 16;
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kArray:
      return 0;
  }
  return 0;
}

absl::optional<DataType> ParseDataType(StringView text) {
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  static constexpr std::pair<const char*, DataType> kNames[] = {{"bool", kBoolType},
                                                                {"boolean", kBoolType},
                                                                {"int32", kInt32Type},
                                                                {"integer", kInt32Type},
                                                                {"int", kInt32Type},
                                                                {"int4", kInt32Type},
                                                                {"int64", kInt64Type},
                                                                {"bigint", kInt64Type},
                                                                {"int8", kInt64Type},
                                                                {"double", kDoubleType},
                                                                {"float8", kDoubleType},
                                                                {"double precision", kDoubleType},
                                                                {"string", kStringType},
                                                                {"text", kStringType},
                                                                {"varchar", kStringType},
                                                                {"timestamp", kTimestampType},
                                                                {"timestamptz", kTimestampType},
                                                                {"date", kDateType}};
  for (const auto& [name, type] : kNames) {
    if (lower == name) return type;
  }
  for (const StringView name : {StringView("decimal"), StringView("numeric")}) {
    if (lower == name) return DecimalType(kDecimalDefaultPrecision, 0);
    StringView rest = lower;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    rest = absl::StripLeadingAsciiWhitespace(rest);
    if (absl::ConsumePrefix(&rest, "(") && absl::ConsumeSuffix(&rest, ")")) {
      return ParseDecimalArguments(rest);
    }
  }
  return absl::nullopt;
}

}  // namespace weir::types
