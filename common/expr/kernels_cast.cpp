#include "common/expr/kernels_cast.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/types/datetime.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::Int128;
using types::TypeKind;

constexpr const char* kDecimalOutOfRange = "decimal out of range";

template <class T>
constexpr const char* OutOfRange() {
  return std::is_same_v<T, int32_t> ? "int32 out of range" : "int64 out of range";
}

template <class From, class To>
void Plain(const KernelCall& call, Vector* result) {
  MapStrict<From, To>(call, result, [](From a) { return static_cast<To>(a); });
}

void BoolToInt32(const KernelCall& call, Vector* result) {
  MapStrict<uint8_t, int32_t>(call, result, [](uint8_t a) { return a != 0 ? 1 : 0; });
}

void Int32ToBool(const KernelCall& call, Vector* result) {
  MapStrict<int32_t, uint8_t>(call, result,
                              [](int32_t a) { return static_cast<uint8_t>(a != 0 ? 1 : 0); });
}

void Int64ToInt32(const KernelCall& call, Vector* result) {
  TryMap<int64_t, int32_t>(call, result, {OutOfRange<int32_t>()}, [](int64_t a, int32_t* out) {
    *out = static_cast<int32_t>(a);
    return static_cast<uint8_t>(*out != a ? 1 : 0);
  });
}

template <class To>
void DoubleToInt(const KernelCall& call, Vector* result) {
  // The least value is a power of two, so it and the bound behind the greatest are exact.
  constexpr double kLeast = static_cast<double>(std::numeric_limits<To>::min());
  TryMap<double, To>(call, result, {OutOfRange<To>()}, [](double a, To* out) -> uint8_t {
    const double rounded = std::nearbyint(a);
    const bool fits = rounded >= kLeast && rounded < -kLeast;
    *out = fits ? static_cast<To>(rounded) : To{0};
    return fits ? 0 : 1;
  });
}

template <class To>
void DecimalToInt(const KernelCall& call, Vector* result) {
  const int scale = call.args[0].type.scale;
  TryMap<Int128, To>(call, result, {OutOfRange<To>()}, [scale](const Int128& a, To* out) {
    const Int128 whole = *types::Rescale(a, scale, 0);
    *out = static_cast<To>(whole);
    return static_cast<uint8_t>(*out != whole ? 1 : 0);
  });
}

// 10^22 is the greatest power of ten that a double holds exactly.
constexpr int kExactPowerMax = 22;
constexpr Int128 kExactIntegerMax = Int128{1} << 53;

void DecimalToDouble(const KernelCall& call, Vector* result) {
  const int scale = call.args[0].type.scale;
  const double power = scale <= kExactPowerMax ? static_cast<double>(types::PowerOfTen(scale)) : 0;
  MapStrict<Int128, double>(call, result, [scale, power](const Int128& a) {
    const bool exact = power != 0 && a < kExactIntegerMax && a > -kExactIntegerMax;
    return exact ? static_cast<double>(a) / power : types::DecimalToDouble(a, scale);
  });
}

template <class From>
void IntToDecimal(const KernelCall& call, Vector* result) {
  const int precision = result->type.precision;
  const Int128 factor = types::PowerOfTen(result->type.scale);
  TryMap<From, Int128>(call, result, {kDecimalOutOfRange}, [&](From a, Int128* out) -> uint8_t {
    *out = 0;
    Int128 value = 0;
    if (__builtin_mul_overflow(Int128{a}, factor, &value)) return 1;
    if (!types::FitsPrecision(value, precision)) return 1;
    *out = value;
    return 0;
  });
}

void DecimalToDecimal(const KernelCall& call, Vector* result) {
  const int from = call.args[0].type.scale;
  const int to = result->type.scale;
  const int precision = result->type.precision;
  TryMap<Int128, Int128>(call, result, {kDecimalOutOfRange},
                         [=](const Int128& a, Int128* out) -> uint8_t {
                           const absl::optional<Int128> value = types::Rescale(a, from, to);
                           const bool fits = value && types::FitsPrecision(*value, precision);
                           *out = fits ? *value : 0;
                           return fits ? 0 : 1;
                         });
}

void DoubleToDecimal(const KernelCall& call, Vector* result) {
  const int precision = result->type.precision;
  const int scale = result->type.scale;
  TryMap<double, Int128>(call, result, {kDecimalOutOfRange}, [=](double a, Int128* out) -> uint8_t {
    *out = 0;
    if (!std::isfinite(a)) return 1;
    // As PostgreSQL: by way of the 15 digits a double surely has.
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), a, std::chars_format::scientific, 14);
    const StringView digits(text.data(), static_cast<size_t>(end.ptr - text.data()));
    const absl::optional<Int128> value = types::ParseDecimal(digits, precision, scale);
    if (!value) return 1;
    *out = *value;
    return 0;
  });
}

void TimestampToDate(const KernelCall& call, Vector* result) {
  MapStrict<int64_t, int32_t>(call, result, [](int64_t micros) {
    return static_cast<int32_t>(types::DayOfTimestamp(micros));
  });
}

void DateToTimestamp(const KernelCall& call, Vector* result) {
  TryMap<int32_t, int64_t>(call, result, {"timestamp out of range"},
                           [](int32_t days, int64_t* out) -> uint8_t {
                             const bool fits = types::IsDateInRange(days);
                             *out = fits ? days * types::kMicrosPerDay : 0;
                             return fits ? 0 : 1;
                           });
}

Kernel FromInt32(TypeKind to) {
  if (to == TypeKind::kBool) return &Int32ToBool;
  if (to == TypeKind::kInt64) return &Plain<int32_t, int64_t>;
  if (to == TypeKind::kDouble) return &Plain<int32_t, double>;
  return to == TypeKind::kDecimal ? &IntToDecimal<int32_t> : nullptr;
}

Kernel FromInt64(TypeKind to) {
  if (to == TypeKind::kInt32) return &Int64ToInt32;
  if (to == TypeKind::kDouble) return &Plain<int64_t, double>;
  return to == TypeKind::kDecimal ? &IntToDecimal<int64_t> : nullptr;
}

Kernel FromDouble(TypeKind to) {
  if (to == TypeKind::kInt32) return &DoubleToInt<int32_t>;
  if (to == TypeKind::kInt64) return &DoubleToInt<int64_t>;
  return to == TypeKind::kDecimal ? &DoubleToDecimal : nullptr;
}

Kernel FromDecimal(TypeKind to) {
  if (to == TypeKind::kInt32) return &DecimalToInt<int32_t>;
  if (to == TypeKind::kInt64) return &DecimalToInt<int64_t>;
  if (to == TypeKind::kDouble) return &DecimalToDouble;
  return to == TypeKind::kDecimal ? &DecimalToDecimal : nullptr;
}

}  // namespace

Kernel CastKernel(const DataType& from, const DataType& to) {
  if (to.kind == TypeKind::kString) return CastToTextKernel(from.kind);
  switch (from.kind) {
    case TypeKind::kString:
      return CastFromTextKernel(to.kind);
    case TypeKind::kBool:
      return to.kind == TypeKind::kInt32 ? &BoolToInt32 : nullptr;
    case TypeKind::kInt32:
      return FromInt32(to.kind);
    case TypeKind::kInt64:
      return FromInt64(to.kind);
    case TypeKind::kDouble:
      return FromDouble(to.kind);
    case TypeKind::kDecimal:
      return FromDecimal(to.kind);
    case TypeKind::kTimestamp:
      return to.kind == TypeKind::kDate ? &TimestampToDate : nullptr;
    case TypeKind::kDate:
      return to.kind == TypeKind::kTimestamp ? &DateToTimestamp : nullptr;
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  return nullptr;
}

bool CastCanFail(const DataType& from, const DataType& to) {
  if (to.kind == TypeKind::kString || from.kind == TypeKind::kBool) return false;
  if (from.kind == TypeKind::kTimestamp || to.kind == TypeKind::kBool) {
    return from.kind == TypeKind::kString;
  }
  if (to.kind == TypeKind::kDecimal && from.kind != TypeKind::kString) {
    const int front = to.precision - to.scale;
    if (from.kind == TypeKind::kInt32) return front < 10;
    if (from.kind == TypeKind::kInt64) return front < 19;
    if (from.kind == TypeKind::kDecimal) {
      // Dropping digits may round up into one more in front.
      const int needed = from.precision - from.scale + (to.scale < from.scale ? 1 : 0);
      return front < needed;
    }
    return true;
  }
  const bool from_int32 = from.kind == TypeKind::kInt32;
  if (from_int32 && to.kind == TypeKind::kInt64) return false;
  return !(to.kind == TypeKind::kDouble && from.IsNumeric());
}

}  // namespace weir::expr
