// Making BoundExpr nodes: flags from their arguments, and constants folded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/expr/bound_expr.h"

namespace weir::expr {

BoundExprPtr MakeColumn(size_t column, const types::DataType& type, bool nullable, TextRange range);

// REQUIRES: one row.
BoundExprPtr MakeConstant(types::ColumnPtr value, TextRange range);
BoundExprPtr MakeNull(const types::DataType& type, TextRange range);
BoundExprPtr MakeString(StringView value, TextRange range);
BoundExprPtr MakeBool(bool value, TextRange range);
template <class T>
BoundExprPtr MakeFixed(const types::DataType& type, T value, TextRange range) {
  types::ColumnBuilder builder(type);
  builder.Append(value);
  return MakeConstant(builder.Finish(), range);
}

// The text of a string constant that is not NULL; nullopt: something else.
absl::optional<StringView> ConstantText(const BoundExpr& expr);

// What a kernel does with NULL arguments.
enum class NullRule : uint8_t { kStrict, kNeverNull, kMayBeNull };
enum class Failing : uint8_t { kNever, kPossible };

// A kCall node, or the constant it comes to if all arguments are constant and nothing fails.
struct CallSpec {
  Kernel kernel = nullptr;
  types::DataType type;
  std::vector<BoundExprPtr> args;
  std::shared_ptr<const void> prepared;
  NullRule nulls = NullRule::kStrict;
  Failing failing = Failing::kNever;
  TextRange range;
};
BoundExprPtr MakeCall(CallSpec spec);

// kAnd or kOr over bool arguments; nested ones of the same kind are flattened.
BoundExprPtr MakeLogic(ExprKind kind, std::vector<BoundExprPtr> args, TextRange range);
BoundExprPtr MakeNot(BoundExprPtr arg, TextRange range);
// kCase or kCoalesce. REQUIRES: results are of `type`.
BoundExprPtr MakeLazy(ExprKind kind, const types::DataType& type, std::vector<BoundExprPtr> args,
                      TextRange range);

// Stands for `value` inside the body of the kLet with this number.
BoundExprPtr MakeSlot(const BoundExpr& value, uint32_t slot);
// Computes `value` once for all its slots in `body`.
BoundExprPtr MakeLet(BoundExprPtr value, BoundExprPtr body, uint32_t slot);

// `expr` cast to `type`. Null: there is no such cast.
BoundExprPtr MakeCast(BoundExprPtr expr, const types::DataType& type, TextRange range);

// The value of an expression without columns; null if it fails, and then `message` says how.
types::ColumnPtr ComputeConstant(const BoundExpr& expr, std::string* message);

}  // namespace weir::expr
