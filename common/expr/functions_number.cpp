// The math functions.
#include <algorithm>

#include "common/expr/function_defs.h"
#include "common/expr/kernels_math.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::kDoubleType;
using types::kInt32Type;
using types::kInt64Type;
using types::TypeKind;

constexpr DataType kAnyDecimal{.kind = TypeKind::kDecimal};

absl::Status SameDecimal(CallSpec* spec, size_t*) {
  spec->type = spec->args[0]->type();
  return absl::OkStatus();
}

// A decimal with `scale` digits behind the point, and one more in front for what rounds up.
DataType Rounded(const DataType& type, int scale) {
  const int front = type.precision - type.scale + (scale < type.scale ? 1 : 0);
  return types::DecimalType(std::clamp(front + scale, 1, types::kDecimalPrecisionMax), scale);
}

absl::Status WholeDecimal(CallSpec* spec, size_t*) {
  spec->type = Rounded(spec->args[0]->type(), 0);
  return absl::OkStatus();
}

// round(decimal, n): the scale is n where n is constant.
absl::Status RoundedDecimal(CallSpec* spec, size_t*) {
  const DataType type = spec->args[0]->type();
  const BoundExpr& digits = *spec->args[1];
  if (!digits.IsConstant() || digits.IsNullConstant()) {
    const int precision = std::min(type.precision + 1, types::kDecimalPrecisionMax);
    spec->type = types::DecimalType(precision, type.scale);
    return absl::OkStatus();
  }
  const int wanted = digits.constant()->Values<int32_t>()[0];
  spec->type = Rounded(type, std::clamp<int>(wanted, 0, type.scale));
  if (wanted < 0) {
    const int precision = std::min(spec->type.precision + 1, types::kDecimalPrecisionMax);
    spec->type = types::DecimalType(precision, 0);
  }
  return absl::OkStatus();
}

std::vector<Overload> Whole(Kernel of_double, Kernel of_decimal) {
  return {{{TypeKind::kDouble}, kDoubleType, of_double},
          {{TypeKind::kDecimal}, kAnyDecimal, of_decimal, Failing::kNever, &WholeDecimal}};
}

std::vector<Overload> Rounds() {
  std::vector<Overload> overloads = Whole(&RoundDoubleKernel, &RoundDecimalKernel);
  overloads.push_back({{TypeKind::kDecimal, TypeKind::kInt32},
                       kAnyDecimal,
                       &RoundDecimalDigitsKernel,
                       Failing::kPossible,
                       &RoundedDecimal});
  return overloads;
}

}  // namespace

std::vector<FunctionDef> NumberFunctions() {
  return {
      {{"abs", "math",
        "abs(int32) -> int32\nabs(int64) -> int64\nabs(double) -> double\nabs(decimal) -> decimal",
        "Without its sign"},
       {{{TypeKind::kInt32}, kInt32Type, AbsKernel(TypeKind::kInt32), Failing::kPossible},
        {{TypeKind::kInt64}, kInt64Type, AbsKernel(TypeKind::kInt64), Failing::kPossible},
        {{TypeKind::kDouble}, kDoubleType, AbsKernel(TypeKind::kDouble)},
        {{TypeKind::kDecimal},
         kAnyDecimal,
         AbsKernel(TypeKind::kDecimal),
         Failing::kNever,
         &SameDecimal}}},
      {{"round", "math",
        "round(double) -> double\nround(decimal) -> decimal\nround(decimal, n int32) -> decimal",
        "The nearest whole number, or with n digits behind the point; double: half to even, "
        "decimal: half away from zero"},
       Rounds()},
      {{"floor", "math", "floor(double) -> double\nfloor(decimal) -> decimal",
        "The greatest whole number that is not greater"},
       Whole(&FloorDoubleKernel, &FloorDecimalKernel)},
      {{"ceil", "math", "ceil(double) -> double\nceil(decimal) -> decimal",
        "The least whole number that is not less"},
       Whole(&CeilDoubleKernel, &CeilDecimalKernel)},
      {{"ceiling", "math", "ceiling(double) -> double\nceiling(decimal) -> decimal",
        "The least whole number that is not less"},
       Whole(&CeilDoubleKernel, &CeilDecimalKernel)},
  };
}

}  // namespace weir::expr
