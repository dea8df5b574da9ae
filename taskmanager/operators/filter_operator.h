// FilterOperator: keeps the rows for which a predicate is TRUE. Writes a selection; copies nothing.
#pragma once

#include <memory>
#include <string>

#include "common/graph/steps/specs.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::operators {

// Of an update of which one row passes only that one is left, as insert or delete.
class FilterOperator final : public Operator {
 public:
  FilterOperator(const graph::FilterSpec& spec, std::string step_id)
      : where_(spec.where), errors_(std::move(step_id), spec.on_error) {}

  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;

 private:
  const graph::ExprPtr where_;
  const RowErrors errors_;
};

}  // namespace weir::operators
