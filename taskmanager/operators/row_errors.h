// RowErrors: what a step does with rows that cannot be computed (`on_error`).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/expr/evaluator.h"
#include "common/graph/steps/specs.h"
#include "taskmanager/operators/subtask_context.h"

namespace weir::operators {

// Immutable.
class RowErrors {
 public:
  RowErrors(std::string step_id, graph::OnError on_error)
      : step_id_(std::move(step_id)), on_error_(on_error) {}

  // INVALID_ARGUMENT with step, `place` (a column, say; may be empty) and `cause` if rows may not
  // be skipped; otherwise they are counted.
  absl::Status Handle(int64_t rows, StringView place, StringView cause,
                      OperatorMetrics& metrics) const;
  // The same for what evaluation met.
  absl::Status Handle(const expr::EvalErrors& errors, StringView place,
                      OperatorMetrics& metrics) const;

 private:
  const std::string step_id_;
  const graph::OnError on_error_;
};

}  // namespace weir::operators
