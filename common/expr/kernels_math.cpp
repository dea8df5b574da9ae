#include "common/expr/kernels_math.h"

#include <algorithm>
#include <cmath>

namespace weir::expr {
namespace {

using types::Int128;
using types::TypeKind;

constexpr const char* kDecimalOutOfRange = "decimal out of range";

template <class T>
void AbsInteger(const KernelCall& call, Vector* result) {
  const char* message = sizeof(T) == sizeof(int32_t) ? "int32 out of range" : "int64 out of range";
  TryMap<T, T>(call, result, {message}, [](T a, T* out) -> uint8_t {
    *out = a;
    if (a >= 0) return 0;
    return __builtin_sub_overflow(T{0}, a, out) ? 1 : 0;
  });
}

void AbsDouble(const KernelCall& call, Vector* result) {
  MapStrict<double, double>(call, result, [](double a) { return std::fabs(a); });
}

void AbsDecimal(const KernelCall& call, Vector* result) {
  MapStrict<Int128, Int128>(call, result, [](const Int128& a) { return a < 0 ? -a : a; });
}

// adjust(quotient, rest) gives the whole number for quotient + rest / power.
template <class Adjust>
void ToWhole(const KernelCall& call, Vector* result, Adjust adjust) {
  const Int128 power = types::PowerOfTen(call.args[0].type.scale);
  MapStrict<Int128, Int128>(call, result,
                            [&](const Int128& a) { return adjust(a / power, a % power); });
}

}  // namespace

Kernel AbsKernel(TypeKind kind) {
  if (kind == TypeKind::kInt32) return &AbsInteger<int32_t>;
  if (kind == TypeKind::kInt64) return &AbsInteger<int64_t>;
  return kind == TypeKind::kDouble ? &AbsDouble : &AbsDecimal;
}

void RoundDoubleKernel(const KernelCall& call, Vector* result) {
  MapStrict<double, double>(call, result, [](double a) { return std::nearbyint(a); });
}
void FloorDoubleKernel(const KernelCall& call, Vector* result) {
  MapStrict<double, double>(call, result, [](double a) { return std::floor(a); });
}
void CeilDoubleKernel(const KernelCall& call, Vector* result) {
  MapStrict<double, double>(call, result, [](double a) { return std::ceil(a); });
}

void RoundDecimalKernel(const KernelCall& call, Vector* result) {
  const int from = call.args[0].type.scale;
  const int to = result->type.scale;
  // Fewer digits always fit.
  MapStrict<Int128, Int128>(call, result,
                            [=](const Int128& a) { return *types::Rescale(a, from, to); });
}

void FloorDecimalKernel(const KernelCall& call, Vector* result) {
  ToWhole(call, result, [](Int128 whole, Int128 rest) { return rest < 0 ? whole - 1 : whole; });
}

void CeilDecimalKernel(const KernelCall& call, Vector* result) {
  ToWhole(call, result, [](Int128 whole, Int128 rest) { return rest > 0 ? whole + 1 : whole; });
}

void RoundDecimalDigitsKernel(const KernelCall& call, Vector* result) {
  const int from = call.args[0].type.scale;
  const int to = result->type.scale;
  const int precision = result->type.precision;
  TryMapPairs<Int128, int32_t, Int128>(
      call, result, {kDecimalOutOfRange},
      [=](const Int128& a, int32_t digits, Int128* out) -> uint8_t {
        *out = 0;
        // Further left than any digit: zero.
        if (digits < -types::kDecimalPrecisionMax) return 0;
        const int kept = std::min<int32_t>(digits, from);
        const absl::optional<Int128> rounded = types::Rescale(a, from, kept);
        const absl::optional<Int128> value =
            rounded ? types::Rescale(*rounded, kept, to) : absl::nullopt;
        if (!value || !types::FitsPrecision(*value, precision)) return 1;
        *out = *value;
        return 0;
      });
}

}  // namespace weir::expr
