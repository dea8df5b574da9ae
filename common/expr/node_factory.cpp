#include "common/expr/node_factory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/expr/evaluator.h"
#include "common/expr/kernels_cast.h"
#include "common/expr/kernels_logic.h"

namespace weir::expr {
namespace {

using types::DataType;

bool AnyNullable(const std::vector<BoundExprPtr>& args) {
  return std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg->nullable(); });
}

bool AnyFails(const std::vector<BoundExprPtr>& args) {
  return std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg->can_fail(); });
}

bool AllCheap(const std::vector<BoundExprPtr>& args) {
  return std::all_of(args.begin(), args.end(), [](const auto& arg) { return arg->is_cheap(); });
}

// Strings are cheap to point at, not to look through.
bool IsFixedWidth(const DataType& type) {
  return types::FixedWidth(type.kind) > 0;
}

BoundExprPtr Fold(BoundExpr::Parts parts) {
  const TextRange range = parts.range;
  const bool constant = std::all_of(parts.args.begin(), parts.args.end(),
                                    [](const auto& arg) { return arg->IsConstant(); });
  BoundExprPtr expr = std::make_shared<const BoundExpr>(std::move(parts));
  if (!constant) return expr;
  std::string message;
  types::ColumnPtr value = ComputeConstant(*expr, &message);
  // What fails may stand in a branch that no row takes.
  return value == nullptr ? expr : MakeConstant(std::move(value), range);
}

}  // namespace

BoundExprPtr MakeColumn(size_t column, const DataType& type, bool nullable, TextRange range) {
  BoundExpr::Parts parts;
  parts.kind = ExprKind::kColumn;
  parts.type = type;
  parts.nullable = nullable;
  parts.is_cheap = IsFixedWidth(type);
  parts.range = range;
  parts.column = column;
  return std::make_shared<const BoundExpr>(std::move(parts));
}

BoundExprPtr MakeConstant(types::ColumnPtr value, TextRange range) {
  WEIR_CHECK(value->size() == 1);
  BoundExpr::Parts parts;
  parts.kind = ExprKind::kConstant;
  parts.type = value->type();
  parts.nullable = value->IsNull(0);
  parts.is_cheap = true;
  parts.range = range;
  parts.constant = std::move(value);
  return std::make_shared<const BoundExpr>(std::move(parts));
}

BoundExprPtr MakeNull(const DataType& type, TextRange range) {
  types::ColumnBuilder builder(type);
  builder.AppendNull();
  return MakeConstant(builder.Finish(), range);
}

BoundExprPtr MakeString(StringView value, TextRange range) {
  types::ColumnBuilder builder(types::kStringType);
  builder.AppendString(value);
  return MakeConstant(builder.Finish(), range);
}

BoundExprPtr MakeBool(bool value, TextRange range) {
  return MakeFixed<uint8_t>(types::kBoolType, value ? 1 : 0, range);
}

absl::optional<StringView> ConstantText(const BoundExpr& expr) {
  if (!expr.IsConstant() || expr.type() != types::kStringType || expr.IsNullConstant()) {
    return absl::nullopt;
  }
  return expr.constant()->String(0);
}

BoundExprPtr MakeCall(CallSpec spec) {
  WEIR_CHECK(spec.kernel != nullptr);
  BoundExpr::Parts parts;
  parts.kind = ExprKind::kCall;
  parts.type = spec.type;
  parts.nullable = spec.nulls == NullRule::kMayBeNull ||
                   (spec.nulls == NullRule::kStrict && AnyNullable(spec.args));
  parts.can_fail = spec.failing == Failing::kPossible || AnyFails(spec.args);
  parts.is_cheap = !parts.can_fail && IsFixedWidth(spec.type) && AllCheap(spec.args);
  parts.range = spec.range;
  parts.args = std::move(spec.args);
  parts.kernel = spec.kernel;
  parts.prepared = std::move(spec.prepared);
  return Fold(std::move(parts));
}

BoundExprPtr MakeLogic(ExprKind kind, std::vector<BoundExprPtr> args, TextRange range) {
  BoundExpr::Parts parts;
  parts.kind = kind;
  parts.type = types::kBoolType;
  parts.range = range;
  for (BoundExprPtr& arg : args) {
    if (arg->kind() == kind) {
      parts.args.insert(parts.args.end(), arg->args().begin(), arg->args().end());
    } else {
      parts.args.push_back(std::move(arg));
    }
  }
  parts.nullable = AnyNullable(parts.args);
  parts.can_fail = AnyFails(parts.args);
  parts.is_cheap = !parts.can_fail && AllCheap(parts.args);
  return Fold(std::move(parts));
}

BoundExprPtr MakeNot(BoundExprPtr arg, TextRange range) {
  return MakeCall({.kernel = &NotKernel,
                   .type = types::kBoolType,
                   .args = {std::move(arg)},
                   .prepared = nullptr,
                   .range = range});
}

BoundExprPtr MakeLazy(ExprKind kind, const DataType& type, std::vector<BoundExprPtr> args,
                      TextRange range) {
  BoundExpr::Parts parts;
  parts.kind = kind;
  parts.type = type;
  parts.range = range;
  parts.can_fail = AnyFails(args);
  if (kind == ExprKind::kCoalesce) {
    parts.nullable =
        std::all_of(args.begin(), args.end(), [](const auto& arg) { return arg->nullable(); });
  } else {
    parts.nullable = args.size() % 2 == 0 || args.back()->nullable();
    for (size_t i = 1; i < args.size(); i += 2) {
      parts.nullable = parts.nullable || args[i]->nullable();
    }
  }
  parts.args = std::move(args);
  return Fold(std::move(parts));
}

BoundExprPtr MakeSlot(const BoundExpr& value, uint32_t slot) {
  BoundExpr::Parts parts;
  parts.kind = ExprKind::kSlot;
  parts.type = value.type();
  parts.nullable = value.nullable();
  parts.is_cheap = IsFixedWidth(value.type());
  parts.range = value.range();
  parts.slot = slot;
  return std::make_shared<const BoundExpr>(std::move(parts));
}

BoundExprPtr MakeLet(BoundExprPtr value, BoundExprPtr body, uint32_t slot) {
  BoundExpr::Parts parts;
  parts.kind = ExprKind::kLet;
  parts.type = body->type();
  parts.nullable = body->nullable();
  parts.can_fail = value->can_fail() || body->can_fail();
  parts.range = body->range();
  parts.args = {std::move(value), std::move(body)};
  parts.slot = slot;
  return std::make_shared<const BoundExpr>(std::move(parts));
}

BoundExprPtr MakeCast(BoundExprPtr expr, const DataType& type, TextRange range) {
  if (expr->type() == type) return expr;
  if (expr->type() == types::kNullType) return MakeNull(type, range);
  const Kernel kernel = CastKernel(expr->type(), type);
  if (kernel == nullptr) return nullptr;
  const bool can_fail = CastCanFail(expr->type(), type);
  return MakeCall({.kernel = kernel,
                   .type = type,
                   .args = {std::move(expr)},
                   .prepared = nullptr,
                   .failing = can_fail ? Failing::kPossible : Failing::kNever,
                   .range = range});
}

types::ColumnPtr ComputeConstant(const BoundExpr& expr, std::string* message) {
  types::RecordBatch::Parts parts;
  parts.schema = std::make_shared<const types::Schema>(std::vector<types::Field>{});
  parts.physical_rows = 1;
  const types::BatchPtr batch = types::RecordBatch::Make(std::move(parts));
  EvalErrors errors;
  absl::StatusOr<types::ColumnPtr> value = Evaluate(expr, *batch, types::IdentityRows(1), &errors);
  if (errors.any()) {
    *message = errors.first_message();
    return nullptr;
  }
  if (!value.ok()) {
    *message = std::string(value.status().message());
    return nullptr;
  }
  return *std::move(value);
}

std::vector<size_t> ReferencedColumns(const BoundExpr& expr) {
  std::vector<size_t> columns;
  std::vector<const BoundExpr*> open = {&expr};
  while (!open.empty()) {
    const BoundExpr* next = open.back();
    open.pop_back();
    if (next->column()) columns.push_back(*next->column());
    for (const BoundExprPtr& arg : next->args()) open.push_back(arg.get());
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace weir::expr
