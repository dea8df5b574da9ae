#include "common/expr/type_rules.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/expr/binder.h"
#include "common/expr/kernels_decimal.h"
#include "common/expr/node_factory.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::Int128;
using types::TypeKind;

constexpr int kInt32Digits = 10;
constexpr int kInt64Digits = 19;

// Place in the order of widening; 0: not a number.
int NumericRank(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt32:
      return 1;
    case TypeKind::kInt64:
      return 2;
    case TypeKind::kDecimal:
      return 3;
    case TypeKind::kDouble:
      return 4;
    default:
      return 0;
  }
}

int DigitsOf(Int128 value) {
  int digits = 1;
  while (digits < types::kDecimalPrecisionMax && !types::FitsPrecision(value, digits)) ++digits;
  return digits;
}

}  // namespace

DataType DecimalTypeOf(const BoundExpr& expr) {
  const TypeKind kind = expr.type().kind;
  if (kind == TypeKind::kDecimal) return expr.type();
  WEIR_CHECK(expr.type().IsInteger());
  if (expr.IsConstant() && !expr.IsNullConstant()) {
    const Int128 value = kind == TypeKind::kInt32 ? Int128{expr.constant()->Values<int32_t>()[0]}
                                                  : Int128{expr.constant()->Values<int64_t>()[0]};
    return types::DecimalType(DigitsOf(value), 0);
  }
  return types::DecimalType(kind == TypeKind::kInt32 ? kInt32Digits : kInt64Digits, 0);
}

absl::optional<DataType> CommonType(const std::vector<BoundExprPtr>& exprs) {
  DataType common = types::kNullType;
  for (const BoundExprPtr& expr : exprs) {
    const DataType& type = expr->type();
    if (type == types::kNullType || type == common) continue;
    if (common == types::kNullType) {
      common = type;
      continue;
    }
    const int rank = NumericRank(type.kind);
    const int common_rank = NumericRank(common.kind);
    if (rank == 0 || common_rank == 0) return absl::nullopt;
    if (rank > common_rank) common = type;
  }
  if (common == types::kNullType) return types::kStringType;
  if (common.kind != TypeKind::kDecimal) return common;
  for (const BoundExprPtr& expr : exprs) {
    if (expr->type() != types::kNullType) common = CommonDecimalType(common, DecimalTypeOf(*expr));
  }
  return common;
}

void WidenAll(const DataType& type, std::vector<BoundExprPtr>* exprs) {
  for (BoundExprPtr& expr : *exprs) {
    const TextRange range = expr->range();
    expr = MakeCast(std::move(expr), type, range);
    WEIR_CHECK(expr != nullptr);
  }
}

bool WidensTo(const DataType& from, const DataType& to) {
  if (from == to || from == types::kNullType) return true;
  const int from_rank = NumericRank(from.kind);
  const int to_rank = NumericRank(to.kind);
  if (from_rank == 0 || to_rank == 0) return false;
  if (to.kind != TypeKind::kDecimal) return from_rank < to_rank;
  const int front = to.precision - to.scale;
  if (from.kind == TypeKind::kInt32) return front >= kInt32Digits;
  if (from.kind == TypeKind::kInt64) return front >= kInt64Digits;
  if (from.kind != TypeKind::kDecimal) return false;
  return to.scale >= from.scale && front >= from.precision - from.scale;
}

BoundExprPtr Widen(BoundExprPtr expr, const DataType& type) {
  const bool small_constant = expr->IsConstant() && expr->type().IsInteger() &&
                              type.kind == TypeKind::kDecimal &&
                              WidensTo(DecimalTypeOf(*expr), type);
  if (!small_constant && !WidensTo(expr->type(), type)) return nullptr;
  const TextRange range = expr->range();
  return MakeCast(std::move(expr), type, range);
}

}  // namespace weir::expr
