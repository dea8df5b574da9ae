#include "common/config/values.h"

#include <cmath>
#include <limits>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "common/base/status_macros.h"

namespace weir::config {

namespace {

struct DurationUnit {
  const char* name;
  absl::Duration length;
};

// The last of equal length is the one that is accepted but not written.
constexpr DurationUnit kDurationUnits[] = {
    {"d", absl::Hours(24)},  {"h", absl::Hours(1)},         {"m", absl::Minutes(1)},
    {"s", absl::Seconds(1)}, {"ms", absl::Milliseconds(1)}, {"min", absl::Minutes(1)},
};

struct SizeUnit {
  const char* name;
  int64_t bytes;
};

constexpr SizeUnit kSizeUnits[] = {
    {"tb", int64_t{1} << 40},
    {"gb", int64_t{1} << 30},
    {"mb", int64_t{1} << 20},
    {"kb", int64_t{1} << 10},
    {"b", 1},
};

struct RateUnit {
  const char* name;
  double seconds;
};

constexpr RateUnit kRateUnits[] = {{"s", 1}, {"m", 60}, {"h", 3600}};

// Splits "512mb" into its digits and the rest.
void SplitNumber(StringView text, StringView* digits, StringView* unit) {
  size_t length = 0;
  while (length < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[length]))) {
    ++length;
  }
  *digits = text.substr(0, length);
  *unit = text.substr(length);
}

// Digits to a count of units that fits `max`.
absl::StatusOr<int64_t> ParseCount(StringView digits, int64_t max) {
  int64_t count = 0;
  if (!absl::SimpleAtoi(digits, &count) || count > max) {
    return absl::OutOfRangeError("it is too large");
  }
  return count;
}

bool IsFloat(StringView text) {
  size_t i = 0;
  const auto skip_digits = [&] {
    const size_t begin = i;
    while (i < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) ++i;
    return i - begin;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  size_t digits = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

// "0x1f" and "0o17" without their prefix; no sign, as in YAML 1.2.
absl::StatusOr<int64_t> ParseRadix(StringView digits, int radix) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  int64_t value = 0;
  if (digits.empty()) return absl::InvalidArgumentError("digits are missing");
  for (const char c : digits) {
    const int digit = absl::ascii_isdigit(static_cast<unsigned char>(c)) ? c - '0'
                      : c >= 'a' && c <= 'f'                             ? c - 'a' + 10
                      : c >= 'A' && c <= 'F'                             ? c - 'A' + 10
                                                                         : radix;
    if (digit >= radix) return absl::InvalidArgumentError("it has characters that are no digits");
    if (value > (kMax - digit) / radix) return absl::OutOfRangeError("it is too large");
    value = value * radix + digit;
  }
  return value;
}

}  // namespace

absl::StatusOr<bool> ParseBool(StringView text) {
  if (text == "true") return true;
  if (text == "false") return false;
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "yes" || lower == "on" || lower == "y" || lower == "1" || lower == "true") {
    return absl::InvalidArgumentError("write true");
  }
  if (lower == "no" || lower == "off" || lower == "n" || lower == "0" || lower == "false") {
    return absl::InvalidArgumentError("write false");
  }
  return absl::InvalidArgumentError("write true or false");
}

absl::StatusOr<int64_t> ParseInt(StringView text) {
  if (absl::StartsWith(text, "0x")) return ParseRadix(text.substr(2), 16);
  if (absl::StartsWith(text, "0o")) return ParseRadix(text.substr(2), 8);
  const bool is_signed = !text.empty() && (text[0] == '-' || text[0] == '+');
  StringView digits;
  StringView rest;
  SplitNumber(text.substr(is_signed ? 1 : 0), &digits, &rest);
  if (digits.empty() || !rest.empty()) {
    return absl::InvalidArgumentError(IsFloat(text) ? "it must be a whole number"
                                                    : "it is not a number");
  }
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value)) return absl::OutOfRangeError("it is too large");
  return value;
}

absl::StatusOr<double> ParseDouble(StringView text) {
  if (!IsFloat(text)) return absl::InvalidArgumentError("it is not a number");
  double value = 0;
  if (!absl::SimpleAtod(text, &value)) return absl::InvalidArgumentError("it is not a number");
  if (!std::isfinite(value)) return absl::OutOfRangeError("it is too large");
  return value;
}

absl::StatusOr<absl::Duration> ParseDuration(StringView text) {
  StringView digits;
  StringView unit;
  SplitNumber(text, &digits, &unit);
  if (digits.empty()) return absl::InvalidArgumentError("write for example 500ms, 10s, 5m, 2h, 7d");
  if (unit.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the unit is missing, write for example ", digits, "s"));
  }
  for (const DurationUnit& known : kDurationUnits) {
    if (unit != known.name) continue;
    WEIR_ASSIGN_OR_RETURN(const int64_t count, ParseCount(digits, kDurationMax / known.length));
    return count * known.length;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no unit '", unit, "', use one of ms, s, m, h, d after a whole number"));
}

absl::StatusOr<int64_t> ParseByteSize(StringView text) {
  StringView digits;
  StringView unit;
  SplitNumber(text, &digits, &unit);
  if (digits.empty()) return absl::InvalidArgumentError("write for example 64kb, 512mb, 4gb");
  if (unit.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the unit is missing, write for example ", digits, "mb"));
  }
  for (const SizeUnit& known : kSizeUnits) {
    if (unit != known.name) continue;
    WEIR_ASSIGN_OR_RETURN(const int64_t count,
                          ParseCount(digits, std::numeric_limits<int64_t>::max() / known.bytes));
    return count * known.bytes;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no unit '", unit, "', use one of b, kb, mb, gb, tb after a whole number"));
}

absl::StatusOr<double> ParseRate(StringView text) {
  const size_t slash = text.rfind('/');
  if (slash == StringView::npos) {
    return absl::InvalidArgumentError(
        IsFloat(text) ? absl::StrCat("the unit is missing, write for example ", text, "/s")
                      : "write for example 2000/s, 100/m, 10/h");
  }
  WEIR_ASSIGN_OR_RETURN(const double count, ParseDouble(text.substr(0, slash)));
  if (count <= 0) return absl::OutOfRangeError("it must be more than 0");
  for (const RateUnit& known : kRateUnits) {
    if (text.substr(slash + 1) == known.name) return count / known.seconds;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no unit '/", text.substr(slash + 1), "', use one of /s, /m, /h"));
}

absl::Status CheckId(StringView text) {
  if (text.empty()) return absl::InvalidArgumentError("it is empty");
  if (text.size() > kIdBytesMax) {
    return absl::OutOfRangeError(
        absl::StrCat("it has ", text.size(), " characters, ", kIdBytesMax, " are the most"));
  }
  if (!absl::ascii_islower(static_cast<unsigned char>(text[0]))) {
    return absl::InvalidArgumentError("it must start with a letter a-z");
  }
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '_' || c == '-') continue;
    return absl::InvalidArgumentError("it may only have a-z, 0-9, _ and -");
  }
  return absl::OkStatus();
}

std::string DoubleText(double value) {
  return absl::StrFormat("%.15g", value);
}

std::string DurationText(absl::Duration value) {
  if (value == absl::ZeroDuration()) return "0s";
  for (const DurationUnit& unit : kDurationUnits) {
    if (value % unit.length == absl::ZeroDuration()) {
      return absl::StrCat(value / unit.length, unit.name);
    }
  }
  return absl::FormatDuration(value);
}

std::string ByteSizeText(int64_t value) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (value != 0 && value % unit.bytes == 0) return absl::StrCat(value / unit.bytes, unit.name);
  }
  return absl::StrCat(value, "b");
}

std::string RateText(double per_second) {
  return absl::StrCat(DoubleText(per_second), "/s");
}

}  // namespace weir::config
