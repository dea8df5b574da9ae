#include "common/types/decimal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::types {
namespace {

constexpr std::array<Int128, kDecimalPrecisionMax + 1> MakePowers() {
  std::array<Int128, kDecimalPrecisionMax + 1> powers{};
  Int128 power = 1;
  for (size_t i = 0; i < powers.size(); ++i) {
    powers[i] = power;
    if (i + 1 < powers.size()) power *= 10;
  }
  return powers;
}
constexpr std::array<Int128, kDecimalPrecisionMax + 1> kPowers = MakePowers();

// Rounds value / 10^digits half away from zero. REQUIRES: digits >= 0.
Int128 DropDigits(Int128 value, int digits) {
  if (digits > kDecimalPrecisionMax) return 0;
  const Int128 power = kPowers[static_cast<size_t>(digits)];
  const Int128 quotient = value / power;
  const Int128 rest = value % power;
  const Int128 magnitude = rest < 0 ? -rest : rest;
  if (magnitude < power - magnitude) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

}  // namespace

Int128 PowerOfTen(int exponent) {
  WEIR_DCHECK(exponent >= 0 && exponent <= kDecimalPrecisionMax);
  return kPowers[static_cast<size_t>(exponent)];
}

absl::optional<Int128> Rescale(Int128 value, int from_scale, int to_scale) {
  if (to_scale < from_scale) return DropDigits(value, from_scale - to_scale);
  const int added = to_scale - from_scale;
  if (value == 0 || added == 0) return value;
  if (added > kDecimalPrecisionMax) return absl::nullopt;
  Int128 result = 0;
  if (__builtin_mul_overflow(value, PowerOfTen(added), &result)) return absl::nullopt;
  if (!FitsPrecision(result, kDecimalPrecisionMax)) return absl::nullopt;
  return result;
}

absl::optional<Int128> ParseDecimal(StringView text, int precision, int scale) {
  size_t i = 0;
  bool negative = false;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
  Int128 digits = 0;
  int fraction_digits = 0;
  int kept = 0;
  bool any = false;
  bool point = false;
  bool round_up = false;
  bool dropping = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') break;
    any = true;
    if (kept == kDecimalPrecisionMax) {
      // A 39th digit: only behind the point can it be rounded away.
      if (!point) return absl::nullopt;
      if (!dropping) round_up = text[i] >= '5';
      dropping = true;
      continue;
    }
    digits = digits * 10 + (text[i] - '0');
    if (digits != 0) ++kept;
    if (point) ++fraction_digits;
  }
  if (!any) return absl::nullopt;
  int exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    if (!absl::SimpleAtoi(text.substr(i + 1), &exponent) || std::abs(exponent) > 1000) {
      return absl::nullopt;
    }
    i = text.size();
  }
  if (i != text.size()) return absl::nullopt;
  if (round_up) ++digits;
  const absl::optional<Int128> value =
      Rescale(negative ? -digits : digits, fraction_digits - exponent, scale);
  if (!value || !FitsPrecision(*value, precision)) return absl::nullopt;
  return value;
}

std::string FormatDecimal(Int128 value, int scale) {
  const bool negative = value < 0;
  unsigned __int128 rest =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string reversed;
  while (rest != 0 || reversed.size() <= static_cast<size_t>(std::max(scale, 0))) {
    if (scale > 0 && reversed.size() == static_cast<size_t>(scale)) {
      reversed.push_back('.');
      do {
        reversed.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
        rest /= 10;
      } while (rest != 0);
      break;
    }
    reversed.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  if (negative) reversed.push_back('-');
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

double DecimalToDouble(Int128 value, int scale) {
  double result = 0;
  // Parsing the text is correctly rounded; dividing two roundings would not be.
  if (absl::SimpleAtod(FormatDecimal(value, scale), &result)) return result;
  return static_cast<double>(value) / std::pow(10.0, scale);
}

}  // namespace weir::types
