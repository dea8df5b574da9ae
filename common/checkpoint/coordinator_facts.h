// Facts: what the checkpoint coordinator is told, as plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/metadata.h"
#include "common/state/handles.h"

namespace weir::checkpoint {

// The current time: `steady` for deadlines and durations, `wall` for what people read.
struct Now {
  absl::Duration steady;
  absl::Time wall;
};

// Limits of the settings below.
inline constexpr absl::Duration kIntervalMin = absl::Milliseconds(10);
inline constexpr absl::Duration kTimeoutMin = absl::Milliseconds(10);
inline constexpr uint32_t kHistoryDefault = 100;

struct CoordinatorSettings {
  std::optional<absl::Duration> interval;  // absent: none periodic
  absl::Duration timeout = absl::Minutes(10);
  absl::Duration min_pause = absl::ZeroDuration();
  uint32_t max_concurrent = 1;
  int32_t tolerable_failures = 3;  // consecutive; -1: unlimited
  SnapshotScope scope = SnapshotScope::kFull;
  BarrierAlignment alignment = BarrierAlignment::kAligned;
  uint32_t history_max = kHistoryDefault;  // 0: off
};

// INVALID_ARGUMENT: names the setting, its value and the accepted range.
absl::Status ValidateCoordinatorSettings(const CoordinatorSettings& settings);

// Which producers a subtask reads.
enum class EdgeKind : uint8_t {
  kForward,   // the one with its own index; the parallelism is equal
  kAllToAll,  // every one
};

struct VertexInput {
  uint32_t vertex = 0;  // index into JobFacts::vertices
  EdgeKind kind = EdgeKind::kAllToAll;
};

struct OperatorFacts {
  std::string uid;
  uint32_t max_parallelism = 0;
  std::string signature;
};

// A chain of operators that runs as one task per subtask.
struct VertexFacts {
  std::string name;  // for people
  uint32_t parallelism = 0;
  std::vector<OperatorFacts> operators;  // head to tail; uids are unique in the job
  std::vector<VertexInput> inputs;       // empty: a source
};

// What never changes while one coordinator lives.
struct JobFacts {
  JobId job;
  std::string name;
  uint64_t epoch = 0;  // the leader's
  uint32_t max_parallelism = 0;
  std::vector<VertexFacts> vertices;
  std::vector<std::string> master_hooks;  // called on every trigger; unique names
};

enum class TaskState : uint8_t { kDeploying, kRunning, kFinished, kFailed };

struct AttemptFacts {
  AttemptId attempt;
  uint32_t vertex = 0;  // index into JobFacts::vertices
  SubtaskIndex subtask{0};
  TaskState state = TaskState::kDeploying;
};

// Who a message comes from. A message of another job or epoch harms nothing and deletes nothing.
struct Sender {
  JobId job;
  uint64_t epoch = 0;
  AttemptId attempt;
};

struct AckMetrics {
  uint64_t alignment_bytes = 0;
  absl::Duration start_delay;
  absl::Duration alignment;
  absl::Duration sync;
  absl::Duration async;
};

struct AckFacts {
  Sender sender;
  CheckpointId id = kNoCheckpoint;
  // By operator uid. An operator of the chain that is missing here has no state.
  std::map<std::string, state::OperatorSubtaskState> states;
  // The subtask had consumed all its input before its part was taken.
  bool finished = false;
  AckMetrics metrics;
};

struct DeclineFacts {
  Sender sender;
  CheckpointId id = kNoCheckpoint;
  FailureReason reason = FailureReason::kDeclined;
  absl::Status cause;
};

// Names one request of a person until RequestEnded answers it. 0: nobody waits.
enum class RequestToken : uint64_t {};
inline constexpr RequestToken kNobody{0};

// A checkpoint asked for, rather than timed.
struct UserRequest {
  RequestToken token = kNobody;
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  SnapshotScope scope = SnapshotScope::kFull;
  // Runs whatever else is pending.
  bool forced = false;
  // Savepoints: the directory to make it in. Empty: the storage's own place.
  std::string target;
};

// A fresh id with its location made.
struct IdFacts {
  CheckpointId id = kNoCheckpoint;
  std::string location;
};

enum class StoreOutcome : uint8_t {
  kStored,   // durable and, if it enters the store, listed
  kRefused,  // certainly not listed
  kUnknown,  // may be listed: nothing may be deleted before it is known
};

}  // namespace weir::checkpoint
