// SelectOperator: computes each output column from the input row, column-wise.
#pragma once

#include <memory>
#include <string>

#include "common/graph/steps/specs.h"
#include "common/types/schema.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::operators {

// Columns that pass unchanged share the input's memory where no rows were left out; if all columns
// do, the input's selection is handed on instead of gathering.
class SelectOperator final : public Operator {
 public:
  SelectOperator(const graph::SelectSpec& spec, std::string step_id, types::SchemaPtr schema);

  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;

 private:
  struct State;

  types::BatchPtr Project(const types::RecordBatch& batch, types::PodVector<uint32_t> kept) const;
  absl::StatusOr<types::BatchPtr> Compute(const types::RecordBatch& batch,
                                          absl::Span<const uint32_t> rows, State& state) const;

  const graph::SelectSpec spec_;
  const types::SchemaPtr schema_;
  const RowErrors errors_;
  const bool only_projects_;  // no column is computed
};

}  // namespace weir::operators
