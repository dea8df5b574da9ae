// Which types go together: widening, the common type of several operands, decimals of integers.
#pragma once

#include <vector>

#include <absl/types/optional.h>

#include "common/expr/bound_expr.h"

namespace weir::expr {

// The decimal that holds the values of an integer or decimal expression; of an integer constant,
// just its digits. REQUIRES: int32, int64 or decimal.
types::DataType DecimalTypeOf(const BoundExpr& expr);

// The type that all of them widen to: of NULLs alone a string, as in PostgreSQL. nullopt: none.
absl::optional<types::DataType> CommonType(const std::vector<BoundExprPtr>& exprs);

// Widens all to `type`. REQUIRES: it is their common type.
void WidenAll(const types::DataType& type, std::vector<BoundExprPtr>* exprs);

}  // namespace weir::expr
