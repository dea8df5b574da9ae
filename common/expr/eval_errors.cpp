// EvalErrors: bookkeeping of failed rows.
#include <string>

#include "common/expr/evaluator.h"

namespace weir::expr {

void EvalErrors::Reset() {
  if (count_ > 0) failed_.clear();
  count_ = 0;
  expression_ = 0;
}

types::PodVector<uint32_t> EvalErrors::Without(absl::Span<const uint32_t> rows) const {
  types::PodVector<uint32_t> kept;
  kept.reserve(rows.size());
  for (const uint32_t row : rows) {
    if (!Failed(row)) kept.push_back(row);
  }
  return kept;
}

void EvalErrors::Record(uint32_t row, TextRange range, StringView message) {
  if (WantsMessage(row)) {
    first_row_ = row;
    first_message_ = std::string(message);
    first_range_ = range;
    first_expression_ = expression_;
  }
  Record(row);
}

void EvalErrors::Record(uint32_t row) {
  if (row >= failed_.size()) failed_.resize(row + 1, 0);
  if (failed_[row] == 0) ++count_;
  failed_[row] = 1;
}

}  // namespace weir::expr
