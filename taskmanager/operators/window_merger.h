// WindowMerger: merges the slices of a window into one accumulator per key, outside any state: what
// a hopping window's rows are made from. Works in bounded steps.
// Where merges can be taken back (counts, sums and averages that are not of doubles) the next
// window is made from the last one: slices that leave are subtracted and new ones added, so a
// window costs two slides' entries however many slides it is long; only the new ones are probed
// for, the place of each entry is remembered until it leaves. Otherwise all is merged anew.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <absl/status/status.h>
#include <absl/types/optional.h>

#include "common/state/state_table.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/group_updater.h"
#include "taskmanager/operators/merged_groups.h"

namespace weir::operators {

// Entries merged in one step.
inline constexpr size_t kMergeStepRows = 1024;

struct WindowSlice {
  int64_t start = 0;
  GroupTables tables;
};

// Life:      Start(), Step() while IsActive(), then groups() until the next Start() or Clear().
// Thread:    confined to the task.
// Invariant: unless IsActive(), groups() is the merge of the slices included(); an included slice
//            must neither change nor go, unless Clear() comes first.
class WindowMerger {
 public:
  explicit WindowMerger(const GroupPlan& plan);

  bool IsActive() const { return next_part_ < parts_.size(); }
  // Starts of the slices merged, ascending.
  const std::vector<int64_t>& included() const { return included_; }
  bool Includes(int64_t start) const;

  // Merges `slices` (ascending). `leaving`: the included slices that are not among them.
  void Start(const std::vector<WindowSlice>& slices, const std::vector<WindowSlice>& leaving);
  // Merges up to kMergeStepRows entries.
  absl::Status Step();
  const MergedGroups& groups() const { return groups_; }

  // The window's rows are out: forgets it, unless the next one can be made from it.
  void FinishWindow();
  // Forgets all. REQUIRES: !IsActive().
  void Clear();

 private:
  enum class Direction : uint8_t { kAdd, kSubtract };
  struct Part {
    int64_t start = 0;
    GroupTables tables;
    Direction direction = Direction::kAdd;
  };

  const state::StateTable* CurrentTable() const;
  void NextTable();
  absl::Status AddAccumulators(const Part& part);
  absl::Status SubtractAccumulators(const Part& part);
  absl::Status MergeValues(size_t use);
  absl::Status CountDistinct(const ValueUse& use);
  void SetKeys(bool is_fixed, types::KeyBatch* keys) const;

  const GroupPlan& plan_;
  const bool can_slide_;
  std::vector<int64_t> included_;
  std::vector<Part> parts_;
  size_t next_part_ = 0;
  size_t next_table_ = 0;  // of the part: 0 its accumulators, then its values
  absl::optional<state::StateTable::ReadPosition> position_;

  MergedGroups groups_;
  // If can_slide_: per included slice the numbers of its entries, in the order in which they are
  // read, which is the same each time because nothing changes them.
  std::map<int64_t, types::PodVector<uint32_t>> numbers_;
  size_t numbers_done_ = 0;                                        // of the slice being subtracted
  std::vector<std::unique_ptr<state::StateTable>> merged_values_;  // one per value use
  // Of the step; kept for their memory.
  state::TableRows rows_;
  types::KeyBatch keys_;
  types::KeyBatch value_keys_;
  types::PodVector<uint32_t> step_numbers_;
  types::PodVector<std::byte*> into_;
  types::PodVector<uint8_t> inserted_;
};

}  // namespace weir::operators
