// What the windowed and the unwindowed aggregation share: their key, their state's description and
// how they read change kinds.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/status.h>

#include "common/state/keyed_backend.h"
#include "common/types/record_batch.h"
#include "taskmanager/operators/accumulator_layout.h"

namespace weir::operators {

inline constexpr char kSumOverflow[] = "a sum is out of range";
inline constexpr char kUnknownRowDeleted[] = "the input deletes a row that it never inserted";

// The key is the input's first columns.
std::vector<size_t> KeyColumns(size_t key_count);

state::StateSpec AccumulatorStateSpec(const AccumulatorLayout& layout, bool is_key_fixed);

// +1 or -1 for each of the batch's physical rows `rows`; empty if all are additions.
// INTERNAL: deletions where the plan promised an append stream.
absl::Status ReadSigns(const types::RecordBatch& batch, absl::Span<const uint32_t> rows,
                       Retraction retraction, types::PodVector<int8_t>* signs);

}  // namespace weir::operators
