// TreeBinder: AND, OR, NOT, IS ..., IN, BETWEEN and LIKE.
#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/expr/kernels_logic.h"
#include "common/expr/kernels_match.h"
#include "common/expr/node_factory.h"
#include "common/expr/strings.h"
#include "common/expr/tree_binder.h"
#include "common/expr/type_rules.h"

namespace weir::expr {
namespace {

Kernel TestKernel(AstKind kind, bool negated) {
  if (kind == AstKind::kIsNull) return negated ? &IsNotNullKernel : &IsNullKernel;
  if (kind == AstKind::kIsTrue) return negated ? &IsNotTrueKernel : &IsTrueKernel;
  return negated ? &IsNotFalseKernel : &IsFalseKernel;
}

}  // namespace

BoundExprPtr TreeBinder::BindLogic(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  bool ok = true;
  for (const AstPtr& child : node.children) {
    args.push_back(BindCondition(*child));
    ok = ok && args.back() != nullptr;
  }
  if (!ok) return nullptr;
  if (node.kind == AstKind::kNot) return MakeNot(std::move(args[0]), node.range);
  const ExprKind kind = node.kind == AstKind::kAnd ? ExprKind::kAnd : ExprKind::kOr;
  return MakeLogic(kind, std::move(args), node.range);
}

BoundExprPtr TreeBinder::BindTest(const AstNode& node) {
  const bool any_type = node.kind == AstKind::kIsNull;
  BoundExprPtr arg = any_type ? Bind(*node.children[0]) : BindCondition(*node.children[0]);
  if (arg == nullptr) return nullptr;
  return MakeCall({.kernel = TestKernel(node.kind, node.negated),
                   .type = types::kBoolType,
                   .args = {GiveType(std::move(arg), types::kBoolType)},
                   .prepared = nullptr,
                   .nulls = NullRule::kNeverNull,
                   .range = node.range});
}

BoundExprPtr TreeBinder::BindDistinct(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  const absl::optional<types::DataType> common = CommonType(args);
  if (!common || !IsComparable(common->kind)) {
    return NoOperator(node.range, "IS DISTINCT FROM", *args[0], *args[1]);
  }
  WidenAll(*common, &args);
  return MakeCall({.kernel = DistinctKernel(node.negated, common->kind),
                   .type = types::kBoolType,
                   .args = std::move(args),
                   .prepared = nullptr,
                   .nulls = NullRule::kNeverNull,
                   .range = node.range});
}

BoundExprPtr TreeBinder::BindIn(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  const absl::optional<types::DataType> common = CommonType(args);
  if (!common || !IsComparable(common->kind)) {
    // Names the first element that does not go with the value.
    for (size_t i = 1; i < args.size(); ++i) {
      if (!CommonType({args[0], args[i]})) return NoOperator(node.range, "IN", *args[0], *args[i]);
    }
    return Fail(node.range, config::codes::kExpressionType,
                "the elements of the list have no common type", "", {"use CAST on some"});
  }
  WidenAll(*common, &args);
  const bool all_constant =
      std::all_of(args.begin() + 1, args.end(), [](const auto& arg) { return arg->IsConstant(); });
  BoundExprPtr in;
  if (all_constant) {
    std::vector<types::ColumnPtr> constants;
    for (size_t i = 1; i < args.size(); ++i) constants.push_back(args[i]->constant());
    in = MakeCall({.kernel = InKernel(common->kind),
                   .type = types::kBoolType,
                   .args = {std::move(args[0])},
                   .prepared = PrepareIn(*common, constants),
                   .nulls = NullRule::kMayBeNull,
                   .range = node.range});
  } else {
    Shared value = Share(std::move(args[0]));
    std::vector<BoundExprPtr> equals;
    for (size_t i = 1; i < args.size(); ++i) {
      equals.push_back(BindCompare(node.range, "=", value.use, std::move(args[i])));
    }
    in = Unshare(std::move(value), MakeLogic(ExprKind::kOr, std::move(equals), node.range));
  }
  return node.negated ? MakeNot(std::move(in), node.range) : in;
}

BoundExprPtr TreeBinder::BindBetween(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  Shared value = Share(std::move(args[0]));
  BoundExprPtr low = BindCompare(node.range, node.negated ? "<" : ">=", value.use, args[1]);
  BoundExprPtr high = BindCompare(node.range, node.negated ? ">" : "<=", value.use, args[2]);
  if (low == nullptr || high == nullptr) return nullptr;
  BoundExprPtr body = MakeLogic(node.negated ? ExprKind::kOr : ExprKind::kAnd,
                                {std::move(low), std::move(high)}, node.range);
  return Unshare(std::move(value), std::move(body));
}

BoundExprPtr TreeBinder::BindLike(const AstNode& node) {
  std::vector<BoundExprPtr> args;
  if (!BindChildren(node, &args)) return nullptr;
  for (BoundExprPtr& arg : args) {
    arg = GiveType(std::move(arg), types::kStringType);
    if (arg->type() == types::kStringType) continue;
    return Fail(arg->range(), config::codes::kExpressionType,
                absl::StrCat(node.text, " takes strings, this is ", arg->type().ToString()), "",
                {"use CAST(... AS string)"});
  }
  auto options = std::make_shared<LikeOptions>();
  options->letter_case = node.text == "ILIKE" ? LetterCase::kInsensitive : LetterCase::kSensitive;
  if (args.size() > 2) {
    const absl::optional<StringView> escape = ConstantText(*args[2]);
    if (!escape || CharacterCount(*escape) > 1) {
      return Fail(args[2]->range(), config::codes::kBadConstant,
                  "ESCAPE takes a constant of one character, or an empty one");
    }
    options->escape = std::string(*escape);
    args.pop_back();
  }
  const absl::optional<StringView> pattern = ConstantText(*args[1]);
  if (pattern) {
    options->pattern = LikePattern::Compile(*pattern, options->escape, options->letter_case);
    if (!options->pattern) {
      return Fail(args[1]->range(), config::codes::kBadConstant,
                  absl::StrCat("the pattern ends with its escape character ", options->escape));
    }
    args.pop_back();
  }
  return MakeCall({.kernel = node.negated ? &NotLikeKernel : &LikeKernel,
                   .type = types::kBoolType,
                   .args = std::move(args),
                   .prepared = std::move(options),
                   .failing = pattern ? Failing::kNever : Failing::kPossible,
                   .range = node.range});
}

}  // namespace weir::expr
