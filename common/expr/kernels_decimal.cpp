#include "common/expr/kernels_decimal.h"

#include <algorithm>

namespace weir::expr {
namespace {

using types::DataType;
using types::Int128;
using types::kDecimalPrecisionMax;
using UInt128 = unsigned __int128;

// Digits behind the point that a quotient has where its operands leave room for them.
constexpr int kQuotientScale = 16;
constexpr int kQuotientScaleMin = 6;
// Beyond this nothing is a decimal.
constexpr UInt128 kLimit = static_cast<UInt128>(10'000'000'000'000'000'000ULL) *
                           static_cast<UInt128>(10'000'000'000'000'000'000ULL);  // 10^38

constexpr const char* kOutOfRange = "decimal out of range";
constexpr const char* kDivisionByZero = "division by zero";

bool Fits(Int128 value) {
  return types::FitsPrecision(value, kDecimalPrecisionMax);
}

// Both values at one scale. False: one does not fit.
struct Aligned {
  Int128 a_factor;
  Int128 b_factor;

  Aligned(const DataType& a, const DataType& b)
      : a_factor(types::PowerOfTen(std::max(a.scale, b.scale) - a.scale)),
        b_factor(types::PowerOfTen(std::max(a.scale, b.scale) - b.scale)) {}

  bool Align(Int128* a, Int128* b) const {
    if (a_factor != 1 && __builtin_mul_overflow(*a, a_factor, a)) return false;
    return b_factor == 1 || !__builtin_mul_overflow(*b, b_factor, b);
  }
};

template <class Function>
void RunAligned(const KernelCall& call, Vector* result, Function function) {
  const Aligned scales(call.args[0].type, call.args[1].type);
  TryMapPairs<Int128, Int128, Int128>(call, result, {kOutOfRange, kDivisionByZero},
                                      [&](Int128 a, Int128 b, Int128* out) -> uint8_t {
                                        *out = 0;
                                        if (!scales.Align(&a, &b)) return 1;
                                        return function(a, b, out);
                                      });
}

void Add(const KernelCall& call, Vector* result) {
  RunAligned(call, result, [](Int128 a, Int128 b, Int128* out) -> uint8_t {
    return __builtin_add_overflow(a, b, out) || !Fits(*out) ? 1 : 0;
  });
}

void Subtract(const KernelCall& call, Vector* result) {
  RunAligned(call, result, [](Int128 a, Int128 b, Int128* out) -> uint8_t {
    return __builtin_sub_overflow(a, b, out) || !Fits(*out) ? 1 : 0;
  });
}

void Modulo(const KernelCall& call, Vector* result) {
  RunAligned(call, result, [](Int128 a, Int128 b, Int128* out) -> uint8_t {
    if (b == 0) return 2;
    *out = a % b;
    return 0;
  });
}

void Multiply(const KernelCall& call, Vector* result) {
  TryMapPairs<Int128, Int128, Int128>(
      call, result, {kOutOfRange}, [](const Int128& a, const Int128& b, Int128* out) -> uint8_t {
        return __builtin_mul_overflow(a, b, out) || !Fits(*out) ? 1 : 0;
      });
}

UInt128 Magnitude(Int128 value) {
  return value < 0 ? -static_cast<UInt128>(value) : static_cast<UInt128>(value);
}

// a * 10^digits / b, rounded half up. False: 10^38 or more. REQUIRES: b > 0; a and b < 2^127.
bool DivideScaled(UInt128 a, UInt128 b, int digits, UInt128* out) {
  UInt128 quotient = a;
  UInt128 rest = 0;
  UInt128 scaled = 0;
  const bool is_short =
      digits <= kDecimalPrecisionMax &&
      !__builtin_mul_overflow(a, static_cast<UInt128>(types::PowerOfTen(digits)), &scaled);
  if (is_short) {
    quotient = scaled / b;
    rest = scaled % b;
  } else {
    quotient = a / b;
    rest = a % b;
    for (int i = 0; i < digits; ++i) {
      // rest * 10 might not fit: add it up ten times, taking b out as it comes.
      UInt128 sum = 0;
      unsigned digit = 0;
      for (int k = 0; k < 10; ++k) {
        sum += rest;
        if (sum < b) continue;
        sum -= b;
        ++digit;
      }
      if (quotient >= kLimit / 10) return false;
      quotient = quotient * 10 + digit;
      rest = sum;
    }
  }
  if (rest >= b - rest) ++quotient;
  *out = quotient;
  return quotient < kLimit;
}

void Divide(const KernelCall& call, Vector* result) {
  const int digits = result->type.scale - call.args[0].type.scale + call.args[1].type.scale;
  TryMapPairs<Int128, Int128, Int128>(
      call, result, {kOutOfRange, kDivisionByZero},
      [digits](const Int128& a, const Int128& b, Int128* out) -> uint8_t {
        *out = 0;
        if (b == 0) return 2;
        UInt128 quotient = 0;
        if (!DivideScaled(Magnitude(a), Magnitude(b), digits, &quotient)) return 1;
        const Int128 value = static_cast<Int128>(quotient);
        *out = (a < 0) != (b < 0) ? -value : value;
        return 0;
      });
}

int Front(const DataType& type) {
  return type.precision - type.scale;
}

DataType Capped(int front, int scale) {
  return types::DecimalType(std::clamp(front + scale, 1, kDecimalPrecisionMax), scale);
}

}  // namespace

absl::optional<DataType> DecimalResultType(ArithmeticOp op, const DataType& a, const DataType& b) {
  const int scale = std::max(a.scale, b.scale);
  const int front = std::max(Front(a), Front(b));
  switch (op) {
    case ArithmeticOp::kAdd:
    case ArithmeticOp::kSubtract:
      return Capped(front + 1, scale);
    case ArithmeticOp::kModulo:
      return Capped(front, scale);
    case ArithmeticOp::kMultiply:
      if (a.scale + b.scale > kDecimalPrecisionMax) return absl::nullopt;
      return Capped(Front(a) + Front(b), a.scale + b.scale);
    case ArithmeticOp::kDivide:
      break;
  }
  const int quotient_front = Front(a) + b.scale;
  const int room = kDecimalPrecisionMax - quotient_front;
  const int least = std::max<int>(a.scale, kQuotientScaleMin);
  return Capped(quotient_front, std::max(std::min(std::max(kQuotientScale, scale), room), least));
}

DataType CommonDecimalType(const DataType& a, const DataType& b) {
  return Capped(std::max(Front(a), Front(b)), std::max(a.scale, b.scale));
}

Kernel DecimalKernel(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return &Add;
    case ArithmeticOp::kSubtract:
      return &Subtract;
    case ArithmeticOp::kMultiply:
      return &Multiply;
    case ArithmeticOp::kDivide:
      return &Divide;
    case ArithmeticOp::kModulo:
      return &Modulo;
  }
  return nullptr;
}

}  // namespace weir::expr
