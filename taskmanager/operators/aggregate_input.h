// What the windowed and the unwindowed aggregation share: their key, their state's description and
// how they read change kinds.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/status.h>

#include "common/state/keyed_backend.h"
#include "common/types/key_codec.h"
#include "common/types/record_batch.h"
#include "taskmanager/operators/accumulator_layout.h"

namespace weir::operators {

inline constexpr char kSumOverflow[] = "a sum is out of range";
inline constexpr char kResultOutOfRange[] = "an aggregate's result is out of range";
inline constexpr char kUnknownRowDeleted[] = "the input deletes a row that it never inserted";

// The key is the input's first columns.
std::vector<size_t> KeyColumns(size_t key_count);

state::StateSpec AccumulatorStateSpec(const AccumulatorLayout& layout, bool is_key_fixed);

// As KeyCodec::Encode(), but without a hash per row where all rows have the one empty key.
void EncodeKeys(const types::KeyCodec& codec, const types::RecordBatch& batch,
                types::KeyBatch* keys);

// Bytes of a row and its change kind; 0 if rows have strings.
size_t FixedRowBytes(const types::Schema& schema);

// +1 or -1 for each of the batch's physical rows `rows`; empty if all are additions.
// INTERNAL: deletions where the plan promised an append stream.
absl::Status ReadSigns(const types::RecordBatch& batch, absl::Span<const uint32_t> rows,
                       Retraction retraction, types::PodVector<int8_t>* signs);

}  // namespace weir::operators
