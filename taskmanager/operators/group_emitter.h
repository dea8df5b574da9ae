// GroupEmitter: emits one row per group of a table or of a merged window: its key, the window's
// bounds if it is a window's table, and the aggregates' results. A batch at a time, so that whoever
// drives it can stop in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/state/state_table.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/merged_groups.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/result_column.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::operators {

struct WindowBounds {
  EventTimeUs start = 0;
  EventTimeUs end = 0;  // exclusive
};

// What is the same for all groups of a step. Immutable; outlives the emitters.
struct GroupPlan {
  types::SchemaPtr schema;  // of the output
  size_t key_count = 0;
  const types::KeyCodec* keys = nullptr;
  const AccumulatorLayout* layout = nullptr;
  const RowErrors* errors = nullptr;
};

// Thread:    confined to the task.
// Invariant: between Start() and the end the groups do not change.
class GroupEmitter {
 public:
  GroupEmitter(const GroupPlan& plan, OperatorMetrics& metrics);

  bool IsActive() const { return strings_ != nullptr; }
  // The groups of a table.
  void Start(const state::StateTable& table, absl::optional<WindowBounds> window);
  // Merged groups. `strings` has the layout that blob references in the accumulators were made
  // with.
  void Start(const MergedGroups& groups, const state::StateTable& strings, WindowBounds window);
  // Emits at most one batch; IsActive() is false afterwards if it was the last.
  // INVALID_ARGUMENT: a result is out of range (on_error: fail). DATA_LOSS: a key that is none.
  absl::Status EmitNext(BatchSink& out);
  // Emits the one row of an aggregation without a key over no rows at all.
  absl::Status EmitEmpty(const state::StateTable& table, BatchSink& out);

 private:
  // The window's bounds as columns, and the event times: the same for all full batches.
  struct WindowColumns {
    size_t rows = 0;
    types::ColumnPtr start;
    types::ColumnPtr end;
    types::Buffer event_times;
  };

  void Begin(const state::StateTable& strings, absl::optional<WindowBounds> window);
  absl::Status ReadMore();
  absl::StatusOr<size_t> ReadRows();
  void MakeWindowColumns(size_t count);
  absl::Status ComputeResults(absl::Span<const ConstAccumulator> accumulators,
                              const state::StateTable& strings);
  // REQUIRES: some result has failed.
  absl::StatusOr<std::string> PlaceOfFirstFailed();
  size_t CountFitting() const;
  absl::Status AppendKeys(size_t begin, size_t count, std::vector<types::ColumnPtr>* columns);
  absl::Status EmitRows(size_t begin, size_t count, BatchSink& out);
  size_t BytesOf(size_t i) const;

  const GroupPlan& plan_;
  OperatorMetrics& metrics_;
  const size_t fixed_row_bytes_;                // 0: rows have strings
  const state::StateTable* strings_ = nullptr;  // null: not active
  // One of the two is being read.
  const state::StateTable* table_ = nullptr;
  const MergedGroups* merged_ = nullptr;
  uint32_t next_number_ = 0;  // in merged_
  absl::optional<WindowBounds> window_;
  WindowColumns window_columns_;  // of window_
  absl::optional<state::StateTable::ReadPosition> position_;
  state::TableRows rows_;  // read, with `results_` computed; those from next_ on are not emitted
  size_t next_ = 0;
  bool is_at_end_ = false;  // nothing is left to read
  std::vector<ResultColumn> results_;
  types::PodVector<uint32_t> good_;  // rows without a failed result
};

}  // namespace weir::operators
