// Decimals: a 128-bit integer and a scale. decimal(p,s) holds values of at most p digits, s of them
// behind the point.
#pragma once

#include <cstdint>
#include <string>

#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::types {

using Int128 = __int128;

// Most digits of a decimal: 10^38 - 1 fits 127 bits.
inline constexpr int kDecimalPrecisionMax = 38;

// 10^exponent. REQUIRES: 0 <= exponent <= 38.
Int128 PowerOfTen(int exponent);

// |value| < 10^precision.
inline bool FitsPrecision(Int128 value, int precision) {
  const Int128 limit = PowerOfTen(precision);
  return value < limit && value > -limit;
}

// The value at another scale; dropped digits round half away from zero, as PostgreSQL's numeric.
// nullopt: beyond 38 digits.
absl::optional<Int128> Rescale(Int128 value, int from_scale, int to_scale);

// Parses [+-]digits[.digits][e[+-]digits] and rounds to `scale`. nullopt: not such a text, or more
// than `precision` digits.
absl::optional<Int128> ParseDecimal(StringView text, int precision, int scale);

// "-12.30" for (-1230, 2).
std::string FormatDecimal(Int128 value, int scale);

double DecimalToDouble(Int128 value, int scale);

}  // namespace weir::types
