#include "common/expr/kernels_compare.h"

#include <algorithm>
#include <type_traits>

namespace weir::expr {
namespace {

using types::Int128;
using types::TypeKind;

template <class T>
struct Order {
  static bool Equal(const T& a, const T& b) { return a == b; }
  static bool Less(const T& a, const T& b) { return a < b; }
};

template <>
struct Order<double> {
  static bool IsNan(double a) { return a != a; }
  static bool Equal(double a, double b) { return a == b || (IsNan(a) && IsNan(b)); }
  static bool Less(double a, double b) { return a < b || (!IsNan(a) && IsNan(b)); }
};

template <CompareOp op, class T>
bool Holds(const T& a, const T& b) {
  if constexpr (op == CompareOp::kEqual) return Order<T>::Equal(a, b);
  if constexpr (op == CompareOp::kNotEqual) return !Order<T>::Equal(a, b);
  if constexpr (op == CompareOp::kLess) return Order<T>::Less(a, b);
  if constexpr (op == CompareOp::kLessEqual) return !Order<T>::Less(b, a);
  if constexpr (op == CompareOp::kGreater) return Order<T>::Less(b, a);
  return !Order<T>::Less(a, b);
}

bool HoldsFor(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

template <class T, CompareOp op>
void Compare(const KernelCall& call, Vector* result) {
  MapPairsStrict<T, T, uint8_t>(call, result, [](const T& a, const T& b) {
    return static_cast<uint8_t>(Holds<op, T>(a, b) ? 1 : 0);
  });
}

template <CompareOp op>
void CompareDecimal(const KernelCall& call, Vector* result) {
  const int a_scale = call.args[0].type.scale;
  const int b_scale = call.args[1].type.scale;
  if (a_scale == b_scale) return Compare<Int128, op>(call, result);
  MapPairsStrict<Int128, Int128, uint8_t>(
      call, result, [a_scale, b_scale](const Int128& a, const Int128& b) {
        return static_cast<uint8_t>(HoldsFor(op, CompareDecimals(a, a_scale, b, b_scale)) ? 1 : 0);
      });
}

template <class T>
Kernel CompareKernelOf(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return &Compare<T, CompareOp::kEqual>;
    case CompareOp::kNotEqual:
      return &Compare<T, CompareOp::kNotEqual>;
    case CompareOp::kLess:
      return &Compare<T, CompareOp::kLess>;
    case CompareOp::kLessEqual:
      return &Compare<T, CompareOp::kLessEqual>;
    case CompareOp::kGreater:
      return &Compare<T, CompareOp::kGreater>;
    case CompareOp::kGreaterEqual:
      return &Compare<T, CompareOp::kGreaterEqual>;
  }
  return nullptr;
}

Kernel DecimalKernelOf(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return &CompareDecimal<CompareOp::kEqual>;
    case CompareOp::kNotEqual:
      return &CompareDecimal<CompareOp::kNotEqual>;
    case CompareOp::kLess:
      return &CompareDecimal<CompareOp::kLess>;
    case CompareOp::kLessEqual:
      return &CompareDecimal<CompareOp::kLessEqual>;
    case CompareOp::kGreater:
      return &CompareDecimal<CompareOp::kGreater>;
    case CompareOp::kGreaterEqual:
      return &CompareDecimal<CompareOp::kGreaterEqual>;
  }
  return nullptr;
}

// Never null: two nulls are not distinct, a null and a value are.
template <class T, bool negated>
void Distinct(const KernelCall& call, Vector* result) {
  const Vector& left = call.args[0];
  const Vector& right = call.args[1];
  uint8_t* out = call.NewValues<uint8_t>(result);
  ForEachPair<T, T>(left, right, call.size(), [&](size_t i, const T& a, const T& b) {
    out[i] = (!Order<T>::Equal(a, b)) != negated ? 1 : 0;
  });
  if (left.validity == nullptr && right.validity == nullptr) return;
  for (size_t i = 0; i < call.size(); ++i) {
    const bool a_null = left.IsNull(i);
    const bool b_null = right.IsNull(i);
    if (a_null || b_null) out[i] = (a_null != b_null) != negated ? 1 : 0;
  }
}

template <class T>
Kernel DistinctKernelOf(bool negated) {
  return negated ? &Distinct<T, true> : &Distinct<T, false>;
}

// The constants of an IN list, sorted. Strings stay in `owners`.
template <class T>
struct InList {
  std::vector<T> values;
  std::vector<types::ColumnPtr> owners;
  bool has_null = false;
};

template <class T>
T ValueOf(const types::Column& constant) {
  if constexpr (std::is_same_v<T, StringView>) {
    return constant.String(0);
  } else {
    return constant.Values<T>()[0];
  }
}

template <class T>
std::shared_ptr<const void> PrepareInOf(const std::vector<types::ColumnPtr>& constants) {
  auto list = std::make_shared<InList<T>>();
  for (const types::ColumnPtr& constant : constants) {
    if (constant->IsNull(0)) {
      list->has_null = true;
    } else {
      list->values.push_back(ValueOf<T>(*constant));
      list->owners.push_back(constant);
    }
  }
  std::sort(list->values.begin(), list->values.end(), &Order<T>::Less);
  return list;
}

template <class T>
void In(const KernelCall& call, Vector* result) {
  const auto& list = *static_cast<const InList<T>*>(call.expr.prepared());
  uint8_t* out = call.NewValues<uint8_t>(result);
  call.SetStrictValidity(result);
  ForEach<T>(call.args[0], call.size(), [&](size_t i, const T& value) {
    out[i] = std::binary_search(list.values.begin(), list.values.end(), value, &Order<T>::Less);
  });
  if (!list.has_null) return;
  uint8_t* validity = call.WritableValidity(result);
  for (size_t i = 0; i < call.size(); ++i) validity[i] &= out[i];
}

}  // namespace

bool IsComparable(TypeKind kind) {
  return kind != TypeKind::kArray && kind != TypeKind::kNull;
}

int CompareDecimals(Int128 a, int a_scale, Int128 b, int b_scale) {
  Int128& coarse = a_scale < b_scale ? a : b;
  const Int128 factor =
      types::PowerOfTen(a_scale < b_scale ? b_scale - a_scale : a_scale - b_scale);
  const bool coarse_is_a = a_scale < b_scale;
  Int128 scaled = 0;
  if (__builtin_mul_overflow(coarse, factor, &scaled)) {
    // Greater in magnitude than any value of the other scale.
    const int sign = coarse < 0 ? -1 : 1;
    return coarse_is_a ? sign : -sign;
  }
  coarse = scaled;
  if (a == b) return 0;
  return a < b ? -1 : 1;
}

Kernel CompareKernel(CompareOp op, TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool:
      return CompareKernelOf<uint8_t>(op);
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return CompareKernelOf<int32_t>(op);
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
      return CompareKernelOf<int64_t>(op);
    case TypeKind::kDouble:
      return CompareKernelOf<double>(op);
    case TypeKind::kString:
      return CompareKernelOf<StringView>(op);
    case TypeKind::kDecimal:
      return DecimalKernelOf(op);
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  return nullptr;
}

// The fixed function object of a template per value type, chosen by kind.
#define WEIR_EXPR_BY_VALUE_TYPE(kind, function, ...) \
  switch (kind) {                                    \
    case TypeKind::kBool:                            \
      return function<uint8_t>(__VA_ARGS__);         \
    case TypeKind::kInt32:                           \
    case TypeKind::kDate:                            \
      return function<int32_t>(__VA_ARGS__);         \
    case TypeKind::kInt64:                           \
    case TypeKind::kTimestamp:                       \
      return function<int64_t>(__VA_ARGS__);         \
    case TypeKind::kDouble:                          \
      return function<double>(__VA_ARGS__);          \
    case TypeKind::kString:                          \
      return function<StringView>(__VA_ARGS__);      \
    case TypeKind::kDecimal:                         \
      return function<Int128>(__VA_ARGS__);          \
    case TypeKind::kNull:                            \
    case TypeKind::kArray:                           \
      break;                                         \
  }                                                  \
  return nullptr

namespace {

template <class T>
Kernel InKernelOf() {
  return &In<T>;
}

}  // namespace

Kernel DistinctKernel(bool negated, TypeKind kind) {
  WEIR_EXPR_BY_VALUE_TYPE(kind, DistinctKernelOf, negated);
}

Kernel InKernel(TypeKind kind) {
  WEIR_EXPR_BY_VALUE_TYPE(kind, InKernelOf);
}

std::shared_ptr<const void> PrepareIn(const types::DataType& type,
                                      const std::vector<types::ColumnPtr>& constants) {
  WEIR_EXPR_BY_VALUE_TYPE(type.kind, PrepareInOf, constants);
}

#undef WEIR_EXPR_BY_VALUE_TYPE

}  // namespace weir::expr
