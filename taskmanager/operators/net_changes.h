// NetChanges: what one batch changed in the results of the groups it touched: the changelog of an
// updating aggregation. A group gives at most one change per batch: an insert, an update (its row
// before and its row after, next to each other) or a delete; an unchanged result gives nothing.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/status.h>

#include "common/types/key_codec.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/group_emitter.h"
#include "taskmanager/operators/result_column.h"
#include "taskmanager/operators/touched_groups.h"

namespace weir::operators {

// Life:   TakeBefore(), then the batch is applied, then TakeAfter(), then EmitNext() while
//         IsActive().
// Thread: confined to the task.
class NetChanges {
 public:
  NetChanges(const GroupPlan& plan, OperatorMetrics& metrics);

  bool IsActive() const { return next_ < from_.size(); }

  void TakeBefore(const TouchedGroups& groups, const state::StateTable& table);
  // `exists[i]`: group i has rows now. Nothing refers to the table afterwards.
  // INVALID_ARGUMENT: a result is out of range (on_error: fail).
  absl::Status TakeAfter(types::BatchPtr batch, const TouchedGroups& groups,
                         absl::Span<const uint8_t> exists, const state::StateTable& table);
  // Emits one batch.
  void EmitNext(BatchSink& out);

 private:
  void Results(const TouchedGroups& groups, const state::StateTable& table,
               std::vector<ResultColumn>* results) const;
  void ListRows(const TouchedGroups& groups);
  size_t BytesOf(size_t i) const;
  size_t EndOfBatch() const;

  const GroupPlan& plan_;
  OperatorMetrics& metrics_;
  std::vector<ResultColumn> before_;
  std::vector<ResultColumn> after_;
  const size_t fixed_row_bytes_;  // 0: rows have strings
  types::BatchPtr batch_;         // its rows have the groups' keys

  // Per group: whether it had a row before and has one now, and whether they are different.
  types::PodVector<uint8_t> was_;
  types::PodVector<uint8_t> is_;
  types::PodVector<uint8_t> differs_;

  // Rows to emit: 2 * group for its result before, 2 * group + 1 after; the batch's row to take the
  // key from; the kind.
  types::PodVector<uint32_t> from_;
  types::PodVector<uint32_t> key_rows_;
  types::PodVector<uint8_t> changes_;
  size_t next_ = 0;
};

}  // namespace weir::operators
