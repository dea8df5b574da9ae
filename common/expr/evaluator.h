// Evaluating bound expressions over the rows of a batch, column-wise.
//
// A row whose value cannot be computed (overflow, division by zero, a cast of unsuitable text) is
// an error of that row alone: it is recorded in EvalErrors, the row's value is NULL, and the
// caller's `on_error` decides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/span.h>

#include "common/expr/bound_expr.h"
#include "common/expr/text_range.h"
#include "common/types/record_batch.h"

namespace weir::expr {

// The rows that failed, by their physical number in the batch. One object may collect the errors of
// several expressions over one batch.
//
// Thread: confined to one thread.
class EvalErrors {
 public:
  // Forgets everything; to be called per batch.
  void Reset();

  bool any() const { return count_ > 0; }
  // Failed rows.
  size_t count() const { return count_; }
  bool Failed(uint32_t row) const { return row < failed_.size() && failed_[row] != 0; }
  // Those of `rows` that did not fail.
  types::PodVector<uint32_t> Without(absl::Span<const uint32_t> rows) const;

  // The failed row with the lowest number, and what happened first to it.
  // REQUIRES: any().
  uint32_t first_row() const { return first_row_; }
  const std::string& first_message() const { return first_message_; }
  // Where in its expression's text, and the caller's number of that expression.
  TextRange first_range() const { return first_range_; }
  size_t first_expression() const { return first_expression_; }

  // Numbers the expression whose errors come next.
  void SetExpression(size_t expression) { expression_ = expression; }

  // Whether a message of `row` would be kept.
  bool WantsMessage(uint32_t row) const { return count_ == 0 || row < first_row_; }
  void Record(uint32_t row, TextRange range, StringView message);
  // Without a message. REQUIRES: !WantsMessage(row).
  void Record(uint32_t row);

 private:
  std::vector<uint8_t> failed_;  // as long as the highest failed row needs
  size_t count_ = 0;
  size_t expression_ = 0;
  uint32_t first_row_ = 0;
  std::string first_message_;
  TextRange first_range_;
  size_t first_expression_ = 0;
};

// The expression's value for each of `rows` (physical, ascending), dense: rows.size() values.
// RESOURCE_EXHAUSTED: the strings of the result exceed 4 GiB.
// REQUIRES: the batch has the schema that the expression was bound to.
absl::StatusOr<types::ColumnPtr> Evaluate(const BoundExpr& expr, const types::RecordBatch& batch,
                                          absl::Span<const uint32_t> rows, EvalErrors* errors);

// Those of `rows` for which the expression is TRUE. `a AND b` does not look at `b` where `a` is not
// TRUE. Rows that fail are not in the result.
// REQUIRES: a bool expression; see Evaluate().
types::PodVector<uint32_t> EvaluatePredicate(const BoundExpr& expr, const types::RecordBatch& batch,
                                             absl::Span<const uint32_t> rows, EvalErrors* errors);

}  // namespace weir::expr
