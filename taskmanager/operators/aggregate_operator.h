// AggregateOperator: groups rows by key without windows: a changelog of results per batch, or one
// final row per key at the end of the input.
//
// State: `aggregates`, one accumulator per key; `values.<n>` beside it for the n-th argument of
// count(distinct), or of min and max over an updating input (value_table.h).
#pragma once

#include <memory>
#include <string>

#include "common/graph/steps/specs.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/group_emitter.h"
#include "taskmanager/operators/group_updater.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::operators {

// A group exists while rows are in it: over an updating input a key whose last row is deleted loses
// its row, the global group of an empty key, too. Only emit: at_end gives the global group's row
// over no rows at all, from the subtask that owns its key group.
class AggregateOperator final : public Operator {
 public:
  // REQUIRES: `spec` without a window; the input's first key_count columns are the key.
  AggregateOperator(graph::AggregateSpec spec, std::string step_id, types::SchemaPtr input,
                    types::SchemaPtr output);

  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::Status Open(OperatorState& state) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;
  absl::StatusOr<Verdict> OnEndOfData(OperatorState& state, BatchSink& out) const override;
  absl::StatusOr<Verdict> Resume(OperatorState& state, BatchSink& out) const override;

 private:
  struct State;
  void ForgetEmitted(State& state) const;

  absl::StatusOr<Verdict> ApplyAndEmit(const types::BatchPtr& batch, const GroupRows& rows,
                                       State& state, BatchSink& out) const;

  const graph::AggregateSpec spec_;
  const types::KeyCodec keys_;
  const AccumulatorLayout layout_;
  const RowErrors errors_;
  const GroupPlan plan_;
};

}  // namespace weir::operators
