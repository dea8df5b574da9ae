// WindowAggregateOperator: groups rows by key and event-time window, tumbling or hopping. Rows are
// added to slices (window_assigner.h); when the watermark passes a window's end its slices are
// merged and its rows emitted, with event time window_end - 1 us.
//
// State: `aggregates`, per slice (namespace = its start) one accumulator per key; `values.<n>`
// likewise for the n-th argument of count(distinct); list `watermark`, the time up to which windows
// have closed, so that a restore judges lateness as before.
#pragma once

#include <memory>
#include <string>

#include "common/graph/steps/specs.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/group_emitter.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/row_errors.h"
#include "taskmanager/operators/window_assigner.h"
#include "taskmanager/operators/window_merger.h"

namespace weir::operators {

// A row all of whose windows have closed is late: dropped and counted. One that missed only some
// goes to the others. A window has rows only for the keys that came in it.
class WindowAggregateOperator final : public Operator {
 public:
  // REQUIRES: `spec` with a window that WindowAssigner allows, over an append stream; the input's
  // first key_count columns are the key.
  WindowAggregateOperator(graph::AggregateSpec spec, std::string step_id, types::SchemaPtr input,
                          types::SchemaPtr output);

  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::Status Open(OperatorState& state) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;
  absl::StatusOr<Verdict> OnWatermark(EventTimeUs time, OperatorState& state,
                                      BatchSink& out) const override;
  absl::StatusOr<Verdict> Resume(OperatorState& state, BatchSink& out) const override;
  absl::Status Snapshot(const SnapshotRequest& request, OperatorState& state) const override;

 private:
  struct State;
  struct SliceRows;

  absl::Status DealRows(const types::RecordBatch& batch, State& state) const;
  absl::Status AddToSlice(const types::RecordBatch& batch, const SliceRows& rows,
                          State& state) const;
  // The end of the first window that contains the slice and has not closed; nullopt: all have.
  absl::optional<int64_t> NextEnd(const Slice& slice, EventTimeUs closed) const;
  bool StartNextWindow(State& state) const;
  WindowSlice SliceAt(int64_t start, State& state) const;
  void StartEmitting(int64_t window_end, State& state) const;
  void FinishWindow(State& state) const;
  void DropSlice(int64_t start, State& state) const;

  const graph::AggregateSpec spec_;
  const WindowAssigner windows_;
  const types::KeyCodec keys_;
  const AccumulatorLayout layout_;
  const RowErrors errors_;
  const GroupPlan plan_;
};

}  // namespace weir::operators
