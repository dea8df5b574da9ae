// StreamElement: what flows on a channel between two subtasks, in order.
#pragma once

#include <variant>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/types/buffer.h"
#include "common/types/record_batch.h"

namespace weir::network {

// No row behind it is earlier than `time`, unless it is late.
struct Watermark {
  EventTimeUs time = kEventTimeMin;
};

// The producer gave checkpoint `id` up before sending its barrier.
struct CancelMarker {
  CheckpointId id = kNoCheckpoint;
};

// An idle channel does not hold the watermark back until it is active again.
struct Idleness {
  bool is_idle = true;
};

// No more rows; the watermark is at its maximum. Barriers may still follow.
struct EndOfData {};

// Nothing follows. Only this ends a channel; a broken connection never does.
struct Close {};

// A batch as it came over the network (common/types/block_codec.h): the consuming task decodes it,
// so that the network's thread does not.
struct EncodedBatch {
  types::Buffer block;
};

using StreamElement = std::variant<types::BatchPtr, Watermark, checkpoint::Barrier, CancelMarker,
                                   Idleness, EndOfData, Close, EncodedBatch>;

}  // namespace weir::network
