#include "taskmanager/operators/row_errors.h"

#include <absl/strings/str_cat.h>

namespace weir::operators {

absl::Status RowErrors::Handle(int64_t rows, StringView place, StringView cause,
                               OperatorMetrics& metrics) const {
  if (on_error_ == graph::OnError::kFail) {
    return absl::InvalidArgumentError(absl::StrCat("step '", step_id_, "'",
                                                   place.empty() ? "" : ", ", place, ": ", cause,
                                                   " (on_error: skip drops such rows)"));
  }
  OperatorMetrics::Add(metrics.rows_skipped, rows);
  return absl::OkStatus();
}

absl::Status RowErrors::Handle(const expr::EvalErrors& errors, StringView place,
                               OperatorMetrics& metrics) const {
  if (!errors.any()) return absl::OkStatus();
  return Handle(static_cast<int64_t>(errors.count()), place, errors.first_message(), metrics);
}

}  // namespace weir::operators
