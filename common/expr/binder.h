// Binding: the text of an expression becomes a typed tree over the columns of one input.
//
// Meaning is PostgreSQL's (README.md lists where Weir is stricter). Implicit casts only widen:
// int32 -> int64 -> decimal -> double, and NULL to any type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/types/optional.h>

#include "common/expr/bind_error.h"
#include "common/expr/bound_expr.h"
#include "common/types/schema.h"

namespace weir::expr {

// Longest text of an expression, and deepest nesting of its tree.
inline constexpr size_t kExpressionBytesMax = 64u << 10;
inline constexpr int kExpressionDepthMax = 200;
// Most operators of one chain that leans to the left, `a + b - c + ...`, which is one level of
// nesting: it is read, bound, evaluated and destroyed in loops. Each operator takes the memory of a
// column while a batch is evaluated.
inline constexpr size_t kExpressionChainMax = 2000;

// What names in an expression mean.
struct BindScope {
  const types::Schema& schema;
  // Of the input: shown in messages, and allowed in front of a column (`bids.price`). May be empty.
  std::string name;
};

// Parses and binds `text`. Null: `errors` got at least one more; all that could be found at once.
BoundExprPtr BindExpression(StringView text, const BindScope& scope, BindErrors* errors);

// The same, and the result must be bool.
BoundExprPtr BindPredicate(StringView text, const BindScope& scope, BindErrors* errors);

// Whether a value of `from` may stand where `to` is wanted, without a CAST.
bool WidensTo(const types::DataType& from, const types::DataType& to);

// `expr` as a value of `type`. Null: only a CAST could do it (see WidensTo).
BoundExprPtr Widen(BoundExprPtr expr, const types::DataType& type);

enum class AggregateKind : uint8_t { kCount, kSum, kAvg, kMin, kMax };

// "count(distinct price * 2)"
struct BoundAggregate {
  AggregateKind kind = AggregateKind::kCount;
  bool is_distinct = false;  // kCount only: it changes nothing of min and max
  BoundExprPtr argument;     // null for count(*)
  types::DataType result_type;
  bool nullable = false;  // all but count give NULL without a value
  TextRange range;
};

// Parses and binds one aggregate call with nothing around it: count(*), count(x),
// count(distinct x), sum(x), avg(x), min(x), max(x). nullopt: `errors` got at least one more.
//
// Result types: count int64; sum of integers int64, of decimal(p,s) decimal(38,s), of double
// double; avg of integers and double double, of decimal(p,s) decimal(38, max(s, 6)); min and max as
// the argument.
absl::optional<BoundAggregate> BindAggregate(StringView text, const BindScope& scope,
                                             BindErrors* errors);

}  // namespace weir::expr
