// GroupUpdater: adds rows of a batch to the accumulators of one state table, and the values of
// count(distinct) and the like to the tables beside it.
#pragma once

#include <memory>
#include <vector>

#include <absl/status/status.h>
#include <absl/types/span.h>

#include "common/state/state_table.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/group_emitter.h"
#include "taskmanager/operators/touched_groups.h"
#include "taskmanager/operators/value_table.h"

namespace weir::operators {

// The rows of a batch that go to one table: row positions[i] of `keys` is physical row rows[i].
struct GroupRows {
  const types::RecordBatch* batch = nullptr;
  const types::KeyBatch* keys = nullptr;
  absl::Span<const uint32_t> positions;  // into the batch's rows()
};

// Where their groups are kept. `values`: one table per value use of the layout.
struct GroupTables {
  state::StateTable* accumulators = nullptr;
  absl::Span<state::StateTable* const> values;
};

// Life:      Find(), then Apply(), then, if MayHaveEmpty(), EraseEmpty(); per batch and table.
// Thread:    confined to the task.
// Invariant: after EraseEmpty() every group of the table has rows.
class GroupUpdater {
 public:
  GroupUpdater(const GroupPlan& plan, OperatorMetrics& metrics);

  // Rebuilds what is derived from restored state.
  absl::Status Open(absl::Span<state::StateTable* const> values);

  // Finds or makes the accumulators of the rows. INTERNAL: as StateTable::ProbeOrInsert().
  absl::Status Find(const GroupRows& rows, state::StateTable* accumulators);
  // The distinct groups of the rows found.
  const TouchedGroups& Touch();

  // INVALID_ARGUMENT: a row takes a sum out of range (on_error: fail).
  // FAILED_PRECONDITION: a row is deleted that never came.
  // INTERNAL: deletions where none were planned.
  absl::Status Apply(const GroupRows& rows, const GroupTables& tables);

  // For each of Touch()'s groups whether it has rows now.
  // FAILED_PRECONDITION: more rows were deleted than came.
  absl::Status FindExisting();
  absl::Span<const uint8_t> exists() const { return exists_; }
  // Whether Apply() can have left groups without rows.
  bool MayHaveEmpty() const;
  // Erases those groups. REQUIRES: FindExisting() of this batch.
  absl::Status EraseEmpty(const GroupRows& rows, state::StateTable* accumulators);

 private:
  absl::Status FindOne(const GroupRows& rows, state::StateTable* accumulators);
  void Prefetch() const;

  const GroupPlan& plan_;
  OperatorMetrics& metrics_;
  std::vector<std::unique_ptr<ValueTable>> values_;  // one per value use

  // Of the rows being applied; kept for their memory.
  types::PodVector<Accumulator> found_;
  types::PodVector<uint8_t> inserted_;
  AccumulatorLayout::RowSet applied_;
  TouchedGroups touched_;
  std::vector<uint8_t> exists_;
};

}  // namespace weir::operators
