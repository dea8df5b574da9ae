// Actions: what the checkpoint coordinator wants done, as plain values, in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/checkpoint/metadata.h"
#include "common/state/handles.h"

namespace weir::checkpoint {

enum class TimerKind : uint8_t {
  kPeriodic,       // one per coordinator
  kExpiry,         // one per pending id
  kFinalRetry,     // one per coordinator
  kStoreReadBack,  // one per id whose store result is unknown
};

// Calls OnTimer(kind, id) at `at` on the steady clock; replaces a timer of equal (kind, id).
struct ArmTimer {
  TimerKind kind = TimerKind::kPeriodic;
  CheckpointId id = kNoCheckpoint;
  absl::Duration at;
};
// OK if no such timer is armed. A timer that fires all the same is ignored.
struct CancelTimer {
  TimerKind kind = TimerKind::kPeriodic;
  CheckpointId id = kNoCheckpoint;
};

// Fetch the next id from the counter, make its location, then OnIdFetched(). At most one of these
// is under way, so triggers cannot overtake each other.
struct FetchId {
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  std::string target;  // see UserRequest
};
// Remove the location of an id that ended without completing, with all in it.
struct RemoveLocation {
  CheckpointId id = kNoCheckpoint;
  std::string location;
};

// Call each master hook with this id, then OnMasterHooksDone().
struct CallMasterHooks {
  CheckpointId id = kNoCheckpoint;
  absl::Time triggered_at;
  std::vector<std::string> names;
};

// Send a trigger. If it is refused, or no answer can come: OnTriggerFailed().
struct SendTrigger {
  AttemptId attempt;
  Barrier barrier;
};

// Publish `metadata` at `location`, then, if `enters_store`, add it to the completed store; then
// OnStoreResult(). A failure to write the metadata is kRefused.
struct WriteMetadataAndStore {
  CheckpointMetadata metadata;
  std::string location;
  bool enters_store = true;
};
// Ask the completed store whether `id` is listed, then OnStoreResult().
struct ReadStoreBack {
  CheckpointId id = kNoCheckpoint;
};

struct NotifyComplete {
  AttemptId attempt;
  CheckpointId id = kNoCheckpoint;
};
struct NotifyAborted {
  AttemptId attempt;
  CheckpointId id = kNoCheckpoint;
  CheckpointId latest_completed = kNoCheckpoint;
};

// Delete the files of these streams (those that have one). They belong to an id that is known to
// have ended without completing.
struct DiscardState {
  CheckpointId id = kNoCheckpoint;
  std::string location;  // directory of the relative paths
  std::vector<state::StreamHandle> streams;
};

// Answers a UserRequest.
struct RequestEnded {
  RequestToken token = kNobody;
  CheckpointId id = kNoCheckpoint;      // kNoCheckpoint: none was made
  absl::Status status;                  // OK: completed, at `location`
  std::optional<FailureReason> reason;  // set when not OK
  std::string location;
};

// The tolerable number of failures in a row is exceeded.
struct FailJob {
  FailureReason reason = FailureReason::kDeclined;
  absl::Status cause;
};
// The store's answer stays unknown: stop leading, leave every file where it is.
struct GiveUpLeadership {
  CheckpointId id = kNoCheckpoint;
  std::string cause;
};
// No checkpoint is pending or being stored, and none will start before OnDeployed(): the newest
// completed one may be read now.
struct Quiesced {};

enum class LogSeverity : uint8_t { kInfo, kWarning, kError };
struct LogLine {
  LogSeverity severity = LogSeverity::kInfo;
  std::string text;
};

using Action =
    std::variant<ArmTimer, CancelTimer, FetchId, RemoveLocation, CallMasterHooks, SendTrigger,
                 WriteMetadataAndStore, ReadStoreBack, NotifyComplete, NotifyAborted, DiscardState,
                 RequestEnded, FailJob, GiveUpLeadership, Quiesced, LogLine>;
using Actions = std::vector<Action>;

}  // namespace weir::checkpoint
