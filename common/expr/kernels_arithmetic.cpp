#include "common/expr/kernels_arithmetic.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "common/types/datetime.h"

namespace weir::expr {
namespace {

using types::Int128;
using types::TypeKind;

constexpr const char* kDivisionByZero = "division by zero";

template <class T>
constexpr const char* OutOfRange() {
  if constexpr (std::is_same_v<T, int32_t>) return "int32 out of range";
  if constexpr (std::is_same_v<T, int64_t>) return "int64 out of range";
  return "double out of range";
}

// Each returns 0, or the number of its message.
template <class T>
struct AddOf {
  static uint8_t Run(T a, T b, T* out) { return __builtin_add_overflow(a, b, out) ? 1 : 0; }
};
template <class T>
struct SubtractOf {
  static uint8_t Run(T a, T b, T* out) { return __builtin_sub_overflow(a, b, out) ? 1 : 0; }
};
template <class T>
struct MultiplyOf {
  static uint8_t Run(T a, T b, T* out) { return __builtin_mul_overflow(a, b, out) ? 1 : 0; }
};
template <class T>
struct DivideOf {
  static uint8_t Run(T a, T b, T* out) {
    *out = 0;
    if (b == 0) return 2;
    if (b == -1) return __builtin_sub_overflow(T{0}, a, out) ? 1 : 0;
    *out = a / b;
    return 0;
  }
};
template <class T>
struct ModuloOf {
  static uint8_t Run(T a, T b, T* out) {
    *out = 0;
    if (b == 0) return 2;
    // The least value % -1 traps on x86.
    if (b != -1) *out = a % b;
    return 0;
  }
};

// A finite operation that ends at infinity or, where it must not, at zero.
bool Overflows(double a, double b, double r) {
  return std::isinf(r) && !std::isinf(a) && !std::isinf(b);
}
template <>
struct AddOf<double> {
  static uint8_t Run(double a, double b, double* out) {
    *out = a + b;
    return Overflows(a, b, *out) ? 1 : 0;
  }
};
template <>
struct SubtractOf<double> {
  static uint8_t Run(double a, double b, double* out) {
    *out = a - b;
    return Overflows(a, b, *out) ? 1 : 0;
  }
};
template <>
struct MultiplyOf<double> {
  static uint8_t Run(double a, double b, double* out) {
    *out = a * b;
    return Overflows(a, b, *out) || (*out == 0 && a != 0 && b != 0) ? 1 : 0;
  }
};
template <>
struct DivideOf<double> {
  static uint8_t Run(double a, double b, double* out) {
    *out = 0;
    if (b == 0 && !std::isnan(a)) return 2;
    *out = a / b;
    const bool overflow = std::isinf(*out) && !std::isinf(a);
    const bool underflow = *out == 0 && a != 0 && !std::isinf(b);
    return overflow || underflow ? 1 : 0;
  }
};

template <class T, template <class> class Op>
void Arithmetic(const KernelCall& call, Vector* result) {
  TryMapPairs<T, T, T>(call, result, {OutOfRange<T>(), kDivisionByZero},
                       [](T a, T b, T* out) { return Op<T>::Run(a, b, out); });
}

template <class T>
Kernel IntegerKernel(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return &Arithmetic<T, AddOf>;
    case ArithmeticOp::kSubtract:
      return &Arithmetic<T, SubtractOf>;
    case ArithmeticOp::kMultiply:
      return &Arithmetic<T, MultiplyOf>;
    case ArithmeticOp::kDivide:
      return &Arithmetic<T, DivideOf>;
    case ArithmeticOp::kModulo:
      return &Arithmetic<T, ModuloOf>;
  }
  return nullptr;
}

Kernel DoubleKernel(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return &Arithmetic<double, AddOf>;
    case ArithmeticOp::kSubtract:
      return &Arithmetic<double, SubtractOf>;
    case ArithmeticOp::kMultiply:
      return &Arithmetic<double, MultiplyOf>;
    case ArithmeticOp::kDivide:
      return &Arithmetic<double, DivideOf>;
    case ArithmeticOp::kModulo:
      return nullptr;
  }
  return nullptr;
}

template <class T>
void Negate(const KernelCall& call, Vector* result) {
  TryMap<T, T>(call, result, {OutOfRange<T>()}, [](T a, T* out) {
    return static_cast<uint8_t>(__builtin_sub_overflow(T{0}, a, out) ? 1 : 0);
  });
}

void NegateDouble(const KernelCall& call, Vector* result) {
  MapStrict<double, double>(call, result, [](double a) { return -a; });
}

void NegateDecimal(const KernelCall& call, Vector* result) {
  MapStrict<Int128, Int128>(call, result, [](const Int128& a) { return -a; });
}

uint8_t CheckDate(int64_t days, int32_t* out) {
  const bool fits = types::IsDateInRange(days);
  *out = fits ? static_cast<int32_t>(days) : 0;
  return fits ? 0 : 1;
}

}  // namespace

Kernel ArithmeticKernel(ArithmeticOp op, TypeKind kind) {
  if (kind == TypeKind::kInt32) return IntegerKernel<int32_t>(op);
  if (kind == TypeKind::kInt64) return IntegerKernel<int64_t>(op);
  return DoubleKernel(op);
}

Kernel NegateKernel(TypeKind kind) {
  if (kind == TypeKind::kInt32) return &Negate<int32_t>;
  if (kind == TypeKind::kInt64) return &Negate<int64_t>;
  return kind == TypeKind::kDouble ? &NegateDouble : &NegateDecimal;
}

void AddDaysKernel(const KernelCall& call, Vector* result) {
  TryMapPairs<int32_t, int32_t, int32_t>(call, result, {"date out of range"},
                                         [](int32_t date, int32_t days, int32_t* out) {
                                           return CheckDate(int64_t{date} + days, out);
                                         });
}

void SubtractDaysKernel(const KernelCall& call, Vector* result) {
  TryMapPairs<int32_t, int32_t, int32_t>(call, result, {"date out of range"},
                                         [](int32_t date, int32_t days, int32_t* out) {
                                           return CheckDate(int64_t{date} - days, out);
                                         });
}

void DaysBetweenKernel(const KernelCall& call, Vector* result) {
  TryMapPairs<int32_t, int32_t, int32_t>(
      call, result, {OutOfRange<int32_t>()}, [](int32_t a, int32_t b, int32_t* out) {
        return static_cast<uint8_t>(__builtin_sub_overflow(a, b, out) ? 1 : 0);
      });
}

}  // namespace weir::expr
