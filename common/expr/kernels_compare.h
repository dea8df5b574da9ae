// Kernels that compare: = <> < <= > >=, IS DISTINCT FROM, IN a list of constants.
// Strings compare by bytes; NaN equals NaN and is greater than every other double.
#pragma once

#include <memory>
#include <vector>

#include "common/expr/bound_expr.h"
#include "common/expr/kernel.h"

namespace weir::expr {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// Whether values of the type can be compared with each other.
bool IsComparable(types::TypeKind kind);

// For two arguments of this kind; decimals may differ in scale. REQUIRES: IsComparable(kind).
Kernel CompareKernel(CompareOp op, types::TypeKind kind);

// IS DISTINCT FROM (`negated`: IS NOT DISTINCT FROM); the same arguments.
Kernel DistinctKernel(bool negated, types::TypeKind kind);

// For `x IN (constants)` with one argument. REQUIRES: constants of the argument's type.
Kernel InKernel(types::TypeKind kind);
std::shared_ptr<const void> PrepareIn(const types::DataType& type,
                                      const std::vector<types::ColumnPtr>& constants);

// -1, 0 or 1. The values are those of a / 10^a_scale and b / 10^b_scale.
int CompareDecimals(types::Int128 a, int a_scale, types::Int128 b, int b_scale);

}  // namespace weir::expr
