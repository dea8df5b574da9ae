// Kernels of decimal + - * / %, and the types of their results.
#pragma once

#include <absl/types/optional.h>

#include "common/expr/kernel.h"
#include "common/expr/kernels_arithmetic.h"

namespace weir::expr {

// With p digits, s of them behind the point, and i = p - s in front of it:
//   + -   scale max(s1, s2), one digit more in front than the longer operand has
//   *     scale s1 + s2, precision p1 + p2; no type if the scale exceeds 38
//   /     scale 16, or more if an operand has it, but no more than leaves room for i1 + s2 digits
//   in
//         front; at least max(s1, 6); rounded half away from zero
//   %     scale max(s1, s2), the sign of the left operand
// Precision ends at 38; a value with more digits is an error of its row. PostgreSQL's numeric has
// no limit there, and chooses the scale of a quotient by its value.
absl::optional<types::DataType> DecimalResultType(ArithmeticOp op, const types::DataType& a,
                                                  const types::DataType& b);

// The smallest decimal type that holds all values of both; its precision ends at 38, too.
types::DataType CommonDecimalType(const types::DataType& a, const types::DataType& b);

// For arguments of decimal types; the result type is DecimalResultType of theirs.
Kernel DecimalKernel(ArithmeticOp op);

}  // namespace weir::expr
