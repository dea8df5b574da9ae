#include "taskmanager/operators/wide_sum.h"

#include "common/base/check.h"

namespace weir::operators {
namespace {

using types::Int128;
__extension__ using Uint128 = unsigned __int128;

// The magnitude of a sum, most significant word last.
struct Magnitude {
  uint64_t words[3];
  bool is_negative;
};

Magnitude MagnitudeOf(const WideSum& sum) {
  WideSum value = sum;
  const bool is_negative = sum.high < 0;
  if (is_negative) {
    value = WideSum();
    value.Subtract(sum);
  }
  return {{value.low, value.middle, static_cast<uint64_t>(value.high)}, is_negative};
}

// Divides in place; returns the rest.
uint64_t Divide(Magnitude* value, uint64_t divisor) {
  Uint128 rest = 0;
  for (int i = 2; i >= 0; --i) {
    const Uint128 part = (rest << 64) | value->words[i];
    value->words[i] = static_cast<uint64_t>(part / divisor);
    rest = part % divisor;
  }
  return static_cast<uint64_t>(rest);
}

absl::optional<Int128> Signed(Uint128 value, bool is_negative) {
  if (value >= static_cast<Uint128>(types::PowerOfTen(types::kDecimalPrecisionMax))) {
    return absl::nullopt;
  }
  return is_negative ? -static_cast<Int128>(value) : static_cast<Int128>(value);
}

}  // namespace

void WideSum::Add(const WideSum& other) {
  uint64_t carry = __builtin_add_overflow(low, other.low, &low) ? 1 : 0;
  const uint64_t middle_carry = __builtin_add_overflow(middle, carry, &middle) ? 1 : 0;
  carry = middle_carry + (__builtin_add_overflow(middle, other.middle, &middle) ? 1 : 0);
  high =
      static_cast<int64_t>(static_cast<uint64_t>(high) + static_cast<uint64_t>(other.high) + carry);
}

void WideSum::Subtract(const WideSum& other) {
  uint64_t borrow = __builtin_sub_overflow(low, other.low, &low) ? 1 : 0;
  const uint64_t middle_borrow = __builtin_sub_overflow(middle, borrow, &middle) ? 1 : 0;
  borrow = middle_borrow + (__builtin_sub_overflow(middle, other.middle, &middle) ? 1 : 0);
  high = static_cast<int64_t>(static_cast<uint64_t>(high) - static_cast<uint64_t>(other.high) -
                              borrow);
}

absl::optional<Int128> WideSum::ToDecimal() const {
  const Magnitude value = MagnitudeOf(*this);
  if (value.words[2] != 0) return absl::nullopt;
  return Signed((static_cast<Uint128>(value.words[1]) << 64) | value.words[0], value.is_negative);
}

absl::optional<Int128> WideSum::Mean(int64_t count, int digits) const {
  WEIR_CHECK(count > 0);
  WEIR_CHECK(digits >= 0);
  const Uint128 divisor = static_cast<Uint128>(count);
  const Uint128 limit = static_cast<Uint128>(types::PowerOfTen(types::kDecimalPrecisionMax));
  Magnitude value = MagnitudeOf(*this);
  Uint128 rest = Divide(&value, static_cast<uint64_t>(count));
  if (value.words[2] != 0) return absl::nullopt;
  Uint128 quotient = (static_cast<Uint128>(value.words[1]) << 64) | value.words[0];
  for (int i = 0; i < digits; ++i) {
    if (quotient >= limit / 10) return absl::nullopt;
    rest *= 10;
    quotient = quotient * 10 + rest / divisor;
    rest %= divisor;
  }
  if (rest * 2 >= divisor) ++quotient;
  return Signed(quotient, value.is_negative);
}

}  // namespace weir::operators
