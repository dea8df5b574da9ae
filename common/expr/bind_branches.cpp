// TreeBinder: CASE, COALESCE and NULLIF.
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/expr/node_factory.h"
#include "common/expr/tree_binder.h"
#include "common/expr/type_rules.h"

namespace weir::expr {

bool TreeBinder::MakeResultsAlike(const AstNode& node, const char* what,
                                  std::vector<BoundExprPtr*> results, types::DataType* type) {
  std::vector<BoundExprPtr> exprs;
  exprs.reserve(results.size());
  for (const BoundExprPtr* result : results) exprs.push_back(*result);
  const absl::optional<types::DataType> common = CommonType(exprs);
  if (!common) {
    std::string listed;
    for (const BoundExprPtr& expr : exprs) {
      absl::StrAppend(&listed, listed.empty() ? "" : ", ", expr->type().ToString());
    }
    Fail(node.range, config::codes::kExpressionType,
         absl::StrCat(what, " have no common type: ", listed), "", {"use CAST on some of them"});
    return false;
  }
  WidenAll(*common, &exprs);
  for (size_t i = 0; i < results.size(); ++i) *results[i] = std::move(exprs[i]);
  *type = *common;
  return true;
}

TreeBinder::Shared TreeBinder::Share(BoundExprPtr value) {
  Shared shared{.value = std::move(value)};
  shared.use = shared.value;
  if (shared.value == nullptr || shared.value->column() || shared.value->IsConstant()) {
    return shared;
  }
  shared.slot = next_slot_++;
  shared.use = MakeSlot(*shared.value, shared.slot);
  return shared;
}

BoundExprPtr TreeBinder::Unshare(Shared shared, BoundExprPtr body) {
  if (body == nullptr || shared.use == shared.value) return body;
  return MakeLet(std::move(shared.value), std::move(body), shared.slot);
}

BoundExprPtr TreeBinder::BindCase(const AstNode& node) {
  bool ok = true;
  size_t next = 0;
  Shared operand;
  if (node.has_operand) {
    operand = Share(Bind(*node.children[next++]));
    ok = operand.value != nullptr;
  }
  std::vector<BoundExprPtr> args;
  while (next + 1 < node.children.size()) {
    const AstNode& when = *node.children[next];
    BoundExprPtr condition;
    if (node.has_operand) {
      BoundExprPtr value = Bind(when);
      const bool comparable = operand.value != nullptr && value != nullptr;
      if (comparable) condition = BindCompare(when.range, "=", operand.use, std::move(value));
    } else {
      condition = BindCondition(when);
    }
    args.push_back(std::move(condition));
    args.push_back(Bind(*node.children[next + 1]));
    ok = ok && args[args.size() - 2] != nullptr && args.back() != nullptr;
    next += 2;
  }
  if (node.has_else) {
    args.push_back(Bind(*node.children.back()));
    ok = ok && args.back() != nullptr;
  }
  if (!ok) return nullptr;
  std::vector<BoundExprPtr*> results;
  for (size_t i = 1; i < args.size(); i += 2) results.push_back(&args[i]);
  if (node.has_else) results.push_back(&args.back());
  types::DataType type;
  if (!MakeResultsAlike(node, "the branches of CASE", results, &type)) return nullptr;
  return Unshare(std::move(operand), MakeLazy(ExprKind::kCase, type, std::move(args), node.range));
}

BoundExprPtr TreeBinder::BindCoalesce(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  std::vector<BoundExprPtr*> results;
  results.reserve(args.size());
  for (BoundExprPtr& arg : args) results.push_back(&arg);
  types::DataType type;
  if (!MakeResultsAlike(node, "the arguments of COALESCE", results, &type)) return nullptr;
  return MakeLazy(ExprKind::kCoalesce, type, std::move(args), node.range);
}

// CASE WHEN x = y THEN NULL ELSE x END.
BoundExprPtr TreeBinder::BindNullIf(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  types::DataType type;
  if (!MakeResultsAlike(node, "the arguments of NULLIF", {&args[0], &args[1]}, &type)) {
    return nullptr;
  }
  Shared value = Share(std::move(args[0]));
  BoundExprPtr equal = BindCompare(node.range, "=", value.use, std::move(args[1]));
  if (equal == nullptr) return nullptr;
  BoundExprPtr body = MakeLazy(
      ExprKind::kCase, type, {std::move(equal), MakeNull(type, node.range), value.use}, node.range);
  return Unshare(std::move(value), std::move(body));
}

}  // namespace weir::expr
