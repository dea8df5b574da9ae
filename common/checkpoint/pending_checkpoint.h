// PendingCheckpoint: one checkpoint from its trigger until it is stored or given up.
// It gathers what the subtasks hand in and turns it into the metadata.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/checkpoint/ack_ledger.h"
#include "common/checkpoint/checkpoint_history.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/checkpoint/metadata.h"
#include "common/checkpoint/request_queue.h"
#include "common/checkpoint/task_table.h"
#include "common/state/handles.h"

namespace weir::checkpoint {

enum class PendingPhase : uint8_t {
  kHooks,         // the master hooks run; no task was triggered
  kAwaiting,      // triggers are out
  kFinalizing,    // fully acknowledged: no expiry, decline or subsumption reaches it
  kStoreUnknown,  // the store's answer is unknown: it may be listed
};

// Life:      made when its id is known, dropped when it ends.
// Thread:    confined to the coordinator thread.
// Invariant: the phase only moves on; from kFinalizing on the ledger is complete.
class PendingCheckpoint {
 public:
  // Tasks that have finished are recorded as finished and not awaited. `job` is borrowed.
  PendingCheckpoint(const JobFacts& job, const TaskTable& tasks, TriggerRequest request,
                    Barrier barrier, absl::Duration started);

  CheckpointId id() const { return barrier_.id; }
  const Barrier& barrier() const { return barrier_; }
  CheckpointKind kind() const { return barrier_.options.kind; }
  const std::string& location() const { return barrier_.options.location; }
  const TriggerRequest& request() const { return request_; }
  PendingPhase phase() const { return phase_; }
  const AckLedger& ledger() const { return ledger_; }
  bool IsFinalizing() const { return phase_ >= PendingPhase::kFinalizing; }
  // Neither savepoints nor what is being stored can be subsumed.
  bool CanBeSubsumed() const { return !IsSavepoint(kind()) && !IsFinalizing(); }

  // REQUIRES: phase kHooks.
  void SetHooksDone(std::vector<MasterHookState> states);
  // Takes over the task's states. INVALID_ARGUMENT: a uid the task does not run; nothing is taken.
  // REQUIRES: phase kAwaiting or later.
  absl::Status Acknowledge(uint32_t task, const TaskTable& tasks, AckFacts ack,
                           AckLedger::Mark* mark);
  bool IsFullyAcknowledged() const {
    return phase_ == PendingPhase::kAwaiting && ledger_.IsComplete();
  }
  // Moves to kFinalizing and gives the metadata away. REQUIRES: IsFullyAcknowledged().
  CheckpointMetadata TakeMetadata();
  // REQUIRES: IsFinalizing().
  void SetStoreUnknown();
  uint32_t store_unknown_count() const { return store_unknown_count_; }

  // For people: the subtasks still awaited, the first few by name; "none" if there is none.
  std::string DescribeMissing(const TaskTable& tasks) const;
  CheckpointStats Stats() const;
  absl::Duration started() const { return started_; }

 private:
  const JobFacts& job_;
  const TriggerRequest request_;
  const Barrier barrier_;
  const absl::Duration started_;  // steady
  PendingPhase phase_ = PendingPhase::kHooks;
  AckLedger ledger_;
  std::vector<OperatorSnapshot> operators_;  // vertex by vertex, head to tail
  std::vector<uint32_t> first_operators_;    // per vertex: its head's place in operators_
  std::vector<MasterHookState> hook_states_;
  uint64_t state_bytes_ = 0;
  uint64_t alignment_bytes_ = 0;
  uint32_t store_unknown_count_ = 0;
};

}  // namespace weir::checkpoint
