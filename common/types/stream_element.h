// StreamElement: what flows on a channel, in order.
#pragma once

#include <cstdint>
#include <variant>

#include "common/base/ids.h"
#include "common/types/record_batch.h"

namespace weir::types {

enum class CheckpointKind : uint8_t {
  kCheckpoint = 0,  // the system's: periodic or asked for by hand
  kSavepoint = 1,   // the person's: never removed by the system
  kFinal = 2,       // the one taken after every subtask reported the end of its input
};

// Travels with trigger and barrier, so that a task asks nobody where its files go.
struct CheckpointOptions {
  CheckpointKind kind = CheckpointKind::kCheckpoint;

  bool operator==(const CheckpointOptions&) const = default;
};

// No row behind it is earlier than `time`, unless it is late.
struct Watermark {
  EventTimeUs time = kEventTimeMin;
};

// Splits the stream into what a checkpoint covers and what it does not.
struct Barrier {
  CheckpointId id = kNoCheckpoint;
  int64_t triggered_at_us = 0;  // wall time of the trigger, microseconds since 1970 UTC
  CheckpointOptions options;
};

// The producer gave checkpoint `id` up before sending its barrier.
struct CancelMarker {
  CheckpointId id = kNoCheckpoint;
};

// An idle channel does not hold the watermark back until it is active again.
struct Idleness {
  bool is_idle = true;
};

// No more rows and the watermark is at its maximum; barriers may still follow.
struct EndOfData {};

// Nothing follows. Only this ends a channel; a broken connection never does.
struct Close {};

using StreamElement =
    std::variant<BatchPtr, Watermark, Barrier, CancelMarker, Idleness, EndOfData, Close>;

}  // namespace weir::types
