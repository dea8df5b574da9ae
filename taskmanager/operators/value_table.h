// ValueTable: the values of one aggregate argument, per key: what count(distinct) counts and, if
// rows can be subtracted, what min and max fall back to when their value goes away.
// The truth is one entry per (key, value) in a state table: the encoded key followed by the ordered
// value. With Retraction::kPossible the entry counts how often the value is there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "common/state/keyed_backend.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/ordered_values.h"

namespace weir::operators {

// Describes the state of `use`, the index-th of its step.
state::StateSpec ValueStateSpec(const ValueUse& use, size_t index, Retraction retraction);

// Thread:    confined to the task.
// Invariant: with kPossible and extremes, the index holds exactly the entries of the table.
class ValueTable {
 public:
  // `use` must outlive the table.
  ValueTable(const ValueUse& use, Retraction retraction) : use_(use), retraction_(retraction) {}

  // Rebuilds the index from restored state. FAILED_PRECONDITION: never for a table at rest.
  absl::Status RebuildIndex(const state::StateTable& table);

  // Adds and subtracts the values of `rows` (positions index `keys`) and brings the accumulators,
  // which lie in `accumulators`, up to date.
  // FAILED_PRECONDITION: a value is subtracted that was not there. INTERNAL: as ProbeOrInsert().
  absl::Status Apply(const types::RecordBatch& batch, const types::KeyBatch& keys,
                     const AccumulatorLayout::RowSet& rows, state::StateTable* accumulators,
                     state::StateTable* table);

 private:
  void EncodeEntries(const types::Column& column, const types::KeyBatch& keys,
                     const AccumulatorLayout::RowSet& rows);
  void CountNew(const AccumulatorLayout::RowSet& rows);
  absl::Status CountSigned(const types::KeyBatch& keys, const AccumulatorLayout::RowSet& rows);
  void SetExtremes(const types::KeyBatch& keys, const AccumulatorLayout::RowSet& rows,
                   state::StateTable* accumulators);
  absl::Status EraseAbsent(state::StateTable* table);
  StringView ValueOf(StringView entry) const;
  void BumpDistinct(Accumulator accumulator, int64_t by) const;

  const ValueUse& use_;
  const Retraction retraction_;
  OrderedValues ordered_;

  // Of the batch being applied; kept for their memory.
  types::KeyBatch entries_;
  types::PodVector<uint32_t> row_of_entry_;  // index into the RowSet
  types::PodVector<std::byte*> counts_;
  types::PodVector<uint8_t> inserted_;
  types::PodVector<uint32_t> changed_;  // entries whose value came or went
};

}  // namespace weir::operators
