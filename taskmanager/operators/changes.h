// Change kinds of rows on their way through an operator: which become which when rows are dropped
// or computed anew. Every function is a loop over one batch.
#pragma once

#include <absl/types/span.h>

#include "common/types/record_batch.h"

namespace weir::operators {

// The change kinds of `batch`'s physical rows when only those in `kept` (ascending, a part of
// batch.rows()) stay: an update that loses its row before becomes an insert, one that loses its row
// after a delete. Empty if the batch has inserts only.
types::Buffer ChangesOfKept(const types::RecordBatch& batch, absl::Span<const uint32_t> kept);

// The kinds of rows that no longer are one row before and one after: update_before becomes delete,
// update_after insert.
constexpr types::ChangeKind Unpaired(types::ChangeKind kind) {
  return types::IsAddition(kind) ? types::ChangeKind::kInsert : types::ChangeKind::kDelete;
}

// changes[rows[i]], and event_times[rows[i]]; empty stays empty.
types::Buffer GatherChanges(const types::Buffer& changes, absl::Span<const uint32_t> rows);
types::Buffer GatherEventTimes(const types::Buffer& event_times, absl::Span<const uint32_t> rows);

}  // namespace weir::operators
