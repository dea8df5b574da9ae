// The stored form of one operator subtask's state handles (schemas/stored/checkpoint.capnp): a part
// of the metadata of a checkpoint, and of the messages that carry state to and from tasks.
#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "common/state/handles.h"

namespace weir::checkpoint {

// `Builder` and `Reader` are those of stored::SubtaskSnapshot: templates keep Cap'n Proto out of
// this header. `finished` is the caller's.
template <class Builder>
void WriteSubtaskState(const state::OperatorSubtaskState& state, Builder out);

// Copies everything and checks nothing: ValidateSubtaskState() does.
template <class Reader>
state::OperatorSubtaskState ReadSubtaskState(Reader in);

// Ranges, offsets, sizes and modes are in bounds, and no path leaves its directory.
// DATA_LOSS: says what is wrong.
absl::Status ValidateSubtaskState(const state::OperatorSubtaskState& state,
                                  uint32_t max_parallelism);

}  // namespace weir::checkpoint
