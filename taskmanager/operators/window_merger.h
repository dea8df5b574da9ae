// WindowMerger: merges the slices of one window into one accumulator per key, in a table of its own
// that is never stored: what a hopping window's rows are made from. Works in bounded steps.
#pragma once

#include <memory>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/state/state_table.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/group_updater.h"

namespace weir::operators {

// Entries merged in one step.
inline constexpr size_t kMergeStepRows = 1024;

// Life:      Start(), Step() while IsActive(), then table() until Clear().
// Thread:    confined to the task.
// Invariant: while it is used the slices do not change; merged strings lie in them.
class WindowMerger {
 public:
  explicit WindowMerger(const GroupPlan& plan);

  bool IsActive() const { return next_slice_ < slices_.size(); }
  // REQUIRES: the slices' tables are of the plan's layout.
  void Start(std::vector<GroupTables> slices);
  // Merges up to kMergeStepRows entries.
  absl::Status Step();

  const state::StateTable& table() const { return *merged_; }
  // Forgets the window. REQUIRES: !IsActive().
  void Clear();

 private:
  absl::Status MergeAccumulators(const GroupTables& slice);
  absl::Status MergeValues(size_t use, const state::StateTable& values);
  absl::Status CountDistinct(const ValueUse& use);
  const state::StateTable* CurrentTable() const;
  void NextTable();
  void SetKeys(bool is_fixed, types::KeyBatch* keys) const;

  const GroupPlan& plan_;
  std::vector<GroupTables> slices_;
  size_t next_slice_ = 0;
  size_t next_table_ = 0;  // of the slice: 0 its accumulators, then its values
  absl::optional<state::StateTable::ReadPosition> position_;

  std::unique_ptr<state::StateTable> merged_;
  std::vector<std::unique_ptr<state::StateTable>> merged_values_;  // one per value use
  // Of the step; kept for their memory.
  state::TableRows rows_;
  types::KeyBatch keys_;
  types::KeyBatch value_keys_;
  types::PodVector<std::byte*> into_;
  types::PodVector<uint8_t> inserted_;
};

}  // namespace weir::operators
