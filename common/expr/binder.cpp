#include "common/expr/binder.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/expr/function_defs.h"
#include "common/expr/kernels_compare.h"
#include "common/expr/parser.h"
#include "common/expr/tree_binder.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::TypeKind;

// Fewest digits behind the point of an average.
constexpr int kAverageScaleMin = 6;

constexpr const char* kAggregatesHelp =
    "count(*), count(x), count(distinct x), sum(x), avg(x), min(x) or max(x)";

absl::optional<AggregateKind> FindAggregate(StringView name) {
  if (name == "count") return AggregateKind::kCount;
  if (name == "sum") return AggregateKind::kSum;
  if (name == "avg") return AggregateKind::kAvg;
  if (name == "min") return AggregateKind::kMin;
  if (name == "max") return AggregateKind::kMax;
  return absl::nullopt;
}

// nullopt: there is no such aggregate of the type.
absl::optional<DataType> AggregateResultType(AggregateKind kind, const DataType& argument) {
  const bool is_decimal = argument.kind == TypeKind::kDecimal;
  switch (kind) {
    case AggregateKind::kCount:
      return types::kInt64Type;
    case AggregateKind::kSum:
      if (argument.IsInteger()) return types::kInt64Type;
      if (is_decimal) return types::DecimalType(types::kDecimalPrecisionMax, argument.scale);
      break;
    case AggregateKind::kAvg:
      if (argument.IsInteger()) return types::kDoubleType;
      if (is_decimal) {
        return types::DecimalType(types::kDecimalPrecisionMax,
                                  std::max<int>(argument.scale, kAverageScaleMin));
      }
      break;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      if (IsComparable(argument.kind)) return argument;
      return absl::nullopt;
  }
  if (argument.kind == TypeKind::kDouble) return types::kDoubleType;
  return absl::nullopt;
}

// Checks what stands between the parentheses; false: an error was added.
bool CheckAggregateForm(const AstNode& call, AggregateKind kind, TreeBinder* binder) {
  const bool is_count = kind == AggregateKind::kCount;
  const size_t wanted = call.is_star ? 0 : 1;
  if (call.children.size() != wanted || (call.is_star && !is_count)) {
    binder->Fail(call.range, config::codes::kNotAnAggregate,
                 absl::StrCat(call.text, " takes one argument", is_count ? ", or *" : ""));
    return false;
  }
  const bool is_additive = kind == AggregateKind::kSum || kind == AggregateKind::kAvg;
  if (call.is_distinct && is_additive) {
    binder->Fail(call.range, config::codes::kUnsupportedExpression,
                 absl::StrCat(call.text, "(distinct ...) is not supported"), "",
                 {"count(distinct ...) is"});
    return false;
  }
  return true;
}

// A NULL alone has no type yet; nothing else may come out of binding without one.
BoundExprPtr RequireType(BoundExprPtr expr, TreeBinder* binder) {
  if (expr == nullptr || expr->type() != types::kNullType) return expr;
  return binder->Fail(expr->range(), config::codes::kExpressionType, "NULL alone has no type", "",
                      {"write CAST(NULL AS string), or another type"});
}

}  // namespace

BoundExprPtr BindExpression(StringView text, const BindScope& scope, BindErrors* errors) {
  const AstPtr tree = ParseExpression(text, errors);
  if (tree == nullptr) return nullptr;
  TreeBinder binder(scope, errors);
  return RequireType(binder.Bind(*tree), &binder);
}

BoundExprPtr BindPredicate(StringView text, const BindScope& scope, BindErrors* errors) {
  const AstPtr tree = ParseExpression(text, errors);
  if (tree == nullptr) return nullptr;
  return TreeBinder(scope, errors).BindCondition(*tree);
}

absl::optional<BoundAggregate> BindAggregate(StringView text, const BindScope& scope,
                                             BindErrors* errors) {
  const AstPtr tree = ParseExpression(text, errors);
  if (tree == nullptr) return absl::nullopt;
  TreeBinder binder(scope, errors);
  const absl::optional<AggregateKind> kind =
      tree->kind == AstKind::kCall ? FindAggregate(tree->text) : absl::nullopt;
  if (!kind && tree->kind == AstKind::kCall && FindFunction(tree->text) == nullptr) {
    binder.Fail(tree->range, config::codes::kNotAnAggregate,
                absl::StrCat("unknown aggregate '", tree->text, "'"),
                config::DidYouMean(tree->text, {"count", "sum", "avg", "min", "max"}),
                {kAggregatesHelp});
    return absl::nullopt;
  }
  if (!kind) {
    binder.Fail(tree->range, config::codes::kNotAnAggregate,
                "an aggregate call is expected here, with nothing around it", "",
                {absl::StrCat(kAggregatesHelp, "; compute with its result in a step behind")});
    return absl::nullopt;
  }
  if (!CheckAggregateForm(*tree, *kind, &binder)) return absl::nullopt;
  BoundAggregate aggregate;
  aggregate.kind = *kind;
  aggregate.is_distinct = tree->is_distinct && *kind == AggregateKind::kCount;
  aggregate.nullable = *kind != AggregateKind::kCount;
  aggregate.result_type = types::kInt64Type;
  aggregate.range = tree->range;
  if (tree->is_star) return aggregate;
  aggregate.argument = RequireType(binder.Bind(*tree->children[0]), &binder);
  if (aggregate.argument == nullptr) return absl::nullopt;
  const DataType& type = aggregate.argument->type();
  const absl::optional<DataType> result = AggregateResultType(*kind, type);
  if (!result || (aggregate.is_distinct && !IsComparable(type.kind))) {
    binder.Fail(aggregate.argument->range(), config::codes::kExpressionType,
                absl::StrCat("no aggregate ", tree->text, "(", type.ToString(), ")"), "",
                {"use CAST on its argument"});
    return absl::nullopt;
  }
  aggregate.result_type = *result;
  return aggregate;
}

}  // namespace weir::expr
