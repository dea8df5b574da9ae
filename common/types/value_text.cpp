#include "common/types/value_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/types/datetime.h"

namespace weir::types {
namespace {

bool ParseBool(StringView text, Slot* slot) {
  for (const char* yes : {"true", "t", "1"}) {
    if (absl::EqualsIgnoreCase(text, yes)) {
      slot->integer = 1;
      return true;
    }
  }
  slot->integer = 0;
  for (const char* no : {"false", "f", "0"}) {
    if (absl::EqualsIgnoreCase(text, no)) return true;
  }
  return false;
}

bool ParseInteger(StringView text, int64_t min, int64_t max, Slot* slot) {
  if (!text.empty() && text[0] == '+' && text.substr(0, 2) != "+-") text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, slot->integer);
  return error == std::errc() && stop == end && slot->integer >= min && slot->integer <= max;
}

bool ParseDouble(StringView text, Slot* slot) {
  StringView magnitude = text;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '+' || negative)) magnitude.remove_prefix(1);
  if (absl::EqualsIgnoreCase(magnitude, "infinity") || absl::EqualsIgnoreCase(magnitude, "inf")) {
    slot->real = negative ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
    return true;
  }
  if (absl::EqualsIgnoreCase(text, "nan")) {
    slot->real = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  // from_chars would also read names and hexadecimal exponents.
  if (magnitude.empty() ||
      (magnitude[0] != '.' && !absl::ascii_isdigit(static_cast<unsigned char>(magnitude[0])))) {
    return false;
  }
  const char* end = magnitude.data() + magnitude.size();
  const auto [stop, error] = std::from_chars(magnitude.data(), end, slot->real);
  if (error != std::errc() || stop != end) return false;
  if (negative) slot->real = -slot->real;
  return true;
}

}  // namespace

bool ParseValueText(StringView text, const DataType& type, Slot* slot) {
  if (type.kind == TypeKind::kString) {
    slot->text = text;
    return true;
  }
  text = absl::StripAsciiWhitespace(text);
  switch (type.kind) {
    case TypeKind::kBool:
      return ParseBool(text, slot);
    case TypeKind::kInt32:
      return ParseInteger(text, INT32_MIN, INT32_MAX, slot);
    case TypeKind::kInt64:
      return ParseInteger(text, INT64_MIN, INT64_MAX, slot);
    case TypeKind::kDouble:
      return ParseDouble(text, slot);
    case TypeKind::kTimestamp: {
      const absl::optional<int64_t> micros = ParseTimestamp(text);
      slot->integer = micros.value_or(0);
      return micros.has_value();
    }
    case TypeKind::kDate: {
      const absl::optional<int32_t> days = ParseDate(text);
      slot->integer = days.value_or(0);
      return days.has_value();
    }
    case TypeKind::kDecimal: {
      const absl::optional<Int128> value = ParseDecimal(text, type.precision, type.scale);
      slot->decimal = value.value_or(0);
      return value.has_value();
    }
    case TypeKind::kString:
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  return false;
}

std::string DescribeType(const DataType& type) {
  switch (type.kind) {
    case TypeKind::kInt32:
    case TypeKind::kInt64:
      return absl::StrCat("an ", type.ToString());
    case TypeKind::kDate:
      return "a date (YYYY-MM-DD)";
    case TypeKind::kTimestamp:
      return "an ISO 8601 timestamp (YYYY-MM-DDTHH:MM:SSZ)";
    default:
      return absl::StrCat("a ", type.ToString());
  }
}

void AppendDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
    return;
  }
  if (std::isinf(value)) {
    out->append(value < 0 ? "-Infinity" : "Infinity");
    return;
  }
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, static_cast<size_t>(result.ptr - buffer));
}

void AppendInteger(int64_t value, std::string* out) {
  char buffer[24];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, static_cast<size_t>(result.ptr - buffer));
}

void AppendValueText(const Column& column, size_t row, std::string* out) {
  switch (column.type().kind) {
    case TypeKind::kBool:
      out->append(column.Values<uint8_t>()[row] != 0 ? "true" : "false");
      return;
    case TypeKind::kInt32:
      return AppendInteger(column.Values<int32_t>()[row], out);
    case TypeKind::kInt64:
      return AppendInteger(column.Values<int64_t>()[row], out);
    case TypeKind::kDouble:
      return AppendDouble(column.Values<double>()[row], out);
    case TypeKind::kTimestamp:
      return AppendTimestamp(column.Values<int64_t>()[row], out);
    case TypeKind::kDate:
      return AppendDate(column.Values<int32_t>()[row], out);
    case TypeKind::kDecimal:
      out->append(FormatDecimal(column.Values<Int128>()[row], column.type().scale));
      return;
    case TypeKind::kString:
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  WEIR_CHECK(false);
}

}  // namespace weir::types
