// CheckpointHistory: what people and metrics see of the last checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"

namespace weir::checkpoint {

enum class CheckpointStatus : uint8_t { kInProgress, kCompleted, kFailed };

struct CheckpointStats {
  CheckpointId id = kNoCheckpoint;
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  CheckpointStatus status = CheckpointStatus::kInProgress;
  absl::Time triggered_at;
  absl::Duration duration;  // from trigger to end; zero while in progress
  uint64_t state_bytes = 0;
  uint64_t alignment_bytes = 0;
  uint32_t acknowledged = 0;  // subtasks, those finished before included
  uint32_t required = 0;
  std::optional<FailureReason> reason;  // set when failed
  std::string cause;
  std::string location;
};

struct CheckpointCounts {
  uint64_t triggered = 0;
  uint64_t in_progress = 0;
  uint64_t completed = 0;
  uint64_t failed = 0;  // also those that failed before they had an id
  uint64_t restored = 0;
};

// Thread:    confined to the coordinator thread.
// Invariant: at most `size_max` entries, the oldest first; an id has at most one.
class CheckpointHistory {
 public:
  explicit CheckpointHistory(size_t size_max);

  void OnRestored(CheckpointId id);
  void OnTriggered(CheckpointStats stats);
  // `stats.status` says how. An entry that fell out of the history still counts.
  void OnEnded(CheckpointStats stats);
  // A trigger that failed before it had an id.
  void OnFailedWithoutId();

  const std::deque<CheckpointStats>& entries() const { return entries_; }
  const CheckpointCounts& counts() const { return counts_; }
  // Those with the highest id.
  const std::optional<CheckpointStats>& latest_completed() const { return latest_completed_; }
  const std::optional<CheckpointStats>& latest_failed() const { return latest_failed_; }
  CheckpointId latest_restored() const { return latest_restored_; }

 private:
  const size_t size_max_;
  std::deque<CheckpointStats> entries_;
  CheckpointCounts counts_;
  std::optional<CheckpointStats> latest_completed_;
  std::optional<CheckpointStats> latest_failed_;
  CheckpointId latest_restored_ = kNoCheckpoint;
};

}  // namespace weir::checkpoint
