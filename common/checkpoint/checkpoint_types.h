// What a checkpoint is asked to be, and why one ends without completing.
// These travel with triggers, barriers and declines.
#pragma once

#include <cstdint>
#include <string>

#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"

namespace weir::checkpoint {

enum class CheckpointKind : uint8_t {
  kCheckpoint = 0,  // the system's, for recovery
  kSavepoint = 1,   // a person's; the job goes on; nobody is notified
  kStop = 2,        // a person's savepoint that ends the job; notified, so it commits
  kFinal = 3,       // the last one of a job whose input has ended
};
StringView ToString(CheckpointKind kind);

// Savepoints belong to a person: never subsumed, never subsuming.
constexpr bool IsSavepoint(CheckpointKind kind) {
  return kind == CheckpointKind::kSavepoint || kind == CheckpointKind::kStop;
}
// The kinds the completed store takes and whose completion is told to the tasks.
constexpr bool EntersStore(CheckpointKind kind) {
  return kind != CheckpointKind::kSavepoint;
}

enum class SnapshotScope : uint8_t { kFull = 0, kIncremental = 1 };
enum class BarrierAlignment : uint8_t { kAligned = 0, kUnaligned = 1 };

// Travels with a trigger and its barriers: a task resolves its files from it and asks nobody.
struct CheckpointOptions {
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  SnapshotScope scope = SnapshotScope::kFull;
  BarrierAlignment alignment = BarrierAlignment::kAligned;
  // A stored checkpoint whose shared files may be used again; kNoCheckpoint: write everything.
  CheckpointId base = kNoCheckpoint;
  // Directory of this checkpoint as its storage named it; empty for in-memory storage.
  std::string location;

  bool operator==(const CheckpointOptions&) const = default;
};

// A barrier as it flows between the rows.
struct Barrier {
  CheckpointId id = kNoCheckpoint;
  absl::Time triggered_at;  // wall time, the same at every task
  CheckpointOptions options;

  bool operator==(const Barrier&) const = default;
};

// Why a request was refused or a checkpoint ended without completing.
enum class FailureReason : uint8_t {
  // A request that made no checkpoint.
  kCoordinatorShutdown = 0,
  kPeriodicSchedulerShutdown = 1,
  kAlreadyQueued = 2,
  kTooManyRequests = 3,
  kMinimumTimeBetweenCheckpoints = 4,
  kNotAllRequiredTasksRunning = 5,
  kTooManyConcurrentCheckpoints = 6,
  // The coordinator's side.
  kIoError = 20,         // no id or no location
  kTriggerFailure = 21,  // a trigger or a master hook failed
  kExpired = 22,
  kSubsumed = 23,
  kFinalizeFailure = 24,
  kJobRestarting = 25,
  kJobEnding = 26,
  // The tasks' side: these are what a task declines with.
  kDeclined = 40,  // the synchronous part could not begin
  kAsyncFailure = 41,
  kAlignmentLimitExceeded = 42,
  kTaskNotReady = 43,
  kCancellationMarker = 44,  // another task gave up; it declines for itself
  kInputEnded = 45,
  kTaskFinished = 46,  // ended without having acknowledged
  kTaskFailed = 47,
};
// For example "EXPIRED".
StringView ToString(FailureReason reason);

// Whether it counts towards tolerable_failures: I/O, asynchronous failure, decline and
// finalisation do. Expiry alone never kills a healthy job.
bool IsCounted(FailureReason reason);

}  // namespace weir::checkpoint
