// CoordinatorCore: decides when a job's checkpoints are triggered, complete and end.
// Pure: no clock, no threads, no I/O. It is told facts with the time they happened and answers with
// actions, which a shell carries out in order. Parts: request_queue.h (who is next), task_table.h
// (who is triggered and awaited), pending_checkpoint.h (who has acknowledged), failure_counter.h,
// ended_ids.h, checkpoint_history.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/base/random.h"
#include "common/checkpoint/checkpoint_history.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_actions.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/checkpoint/ended_ids.h"
#include "common/checkpoint/failure_counter.h"
#include "common/checkpoint/pending_checkpoint.h"
#include "common/checkpoint/request_queue.h"
#include "common/checkpoint/task_table.h"

namespace weir::checkpoint {

// How an acknowledgement was taken.
enum class AckResult : uint8_t {
  kSuccess,
  kDuplicate,  // already acknowledged, or the id is completed: touches nothing
  kUnknown,    // not known here: deletes nothing, the orphan sweep decides
  kDiscarded,  // the id is known to have ended without completing: its state is discarded
  kRefused,    // the coordinator is shut down: deletes nothing
};

struct AckOutcome {
  AckResult result = AckResult::kUnknown;
  Actions actions;
};

enum class ShutdownReason : uint8_t {
  kJobEnded,        // FINISHED, FAILED or CANCELED: what is pending can be discarded
  kLeadershipLost,  // someone else may lead: nothing is deleted
};

// One job's coordinator.
//
// Life:      made while the job is CREATED, lives until the job has ended or leadership is lost.
// Thread:    confined to the coordinator thread; takes no lock.
// Invariant: at most one FetchId and one CallMasterHooks are under way.
// Invariant: an id is pending, ended or unknown, never two of these.
// Invariant: whenever an id leaves the pending ones its timer is cancelled, its outcome is
//            remembered, the next request runs and the periodic timer is armed if scheduling is on.
class CoordinatorCore {
 public:
  // `restored`: the checkpoint this run started from, or kNoCheckpoint. `seed`: for the first
  // periodic delay. REQUIRES: valid settings; vertices name existing inputs.
  CoordinatorCore(JobFacts job, CoordinatorSettings settings, CheckpointId restored, uint64_t seed);

  // --- The job ---
  // All attempts of a new execution; replaces what was known. Ends the pause after OnRestart().
  // REQUIRES: exactly one attempt per subtask; nothing pending (Quiesced was given).
  Actions OnDeployed(const std::vector<AttemptFacts>& attempts, Now now);
  // Unknown attempts are ignored: they belong to an older execution.
  Actions OnTaskState(AttemptId attempt, TaskState state, Now now);
  // The subtask has consumed all its input. When all that run have, one FINAL checkpoint is taken.
  Actions OnEndOfData(AttemptId attempt, Now now);
  // The job's status: RUNNING starts the periodic scheduler (idempotent), any other stops it.
  Actions OnJobRunning(Now now);
  Actions OnJobNotRunning(Now now);
  // Aborts what is pending; Quiesced follows once nothing is being stored. Until OnDeployed()
  // nothing is triggered.
  Actions OnRestart(const std::string& cause, Now now);
  // As OnRestart(), and every later message is refused.
  Actions OnShutdown(ShutdownReason reason, Now now);

  // --- Triggering ---
  // Answered by RequestEnded.
  Actions OnUserRequest(const UserRequest& request, Now now);
  Actions OnTimer(TimerKind kind, CheckpointId id, Now now);
  // Answers FetchId.
  Actions OnIdFetched(const IdFacts& fetched, Now now);
  Actions OnIdFetchFailed(const absl::Status& cause, Now now);
  // Answers CallMasterHooks. Facts for an id that has ended meanwhile are ignored.
  Actions OnMasterHooksDone(CheckpointId id, absl::StatusOr<std::vector<MasterHookState>> states,
                            Now now);
  Actions OnTriggerFailed(AttemptId attempt, CheckpointId id, const absl::Status& cause, Now now);

  // --- Ending ---
  AckOutcome OnAck(AckFacts ack, Now now);
  Actions OnDecline(const DeclineFacts& decline, Now now);
  // Answers WriteMetadataAndStore and ReadStoreBack.
  Actions OnStoreResult(CheckpointId id, StoreOutcome outcome, const absl::Status& cause, Now now);

  // --- Looking ---
  const CheckpointHistory& history() const { return history_; }
  CheckpointId latest_completed() const { return latest_completed_; }
  size_t pending_count() const { return pending_.size(); }
  size_t queued_count() const { return queue_.size(); }
  bool is_quiesced() const { return pending_.empty() && !fetching_; }

 private:
  enum class Mode : uint8_t {
    kWaiting,   // not deployed yet, or restarting
    kActive,    // deployed: triggers run
    kShutdown,  // every message is refused
  };
  enum class FinalState : uint8_t {
    kNone,
    kRequested,   // queued, being triggered or pending
    kRetryLater,  // ended without completing; its timer is armed
    kCompleted,
  };
  // The trigger whose id is being fetched.
  struct Fetching {
    TriggerRequest request;
    bool cancelled = false;  // a restart or shutdown came between
    FailureReason cancel_reason = FailureReason::kJobRestarting;
  };
  using Pending = std::map<CheckpointId, std::unique_ptr<PendingCheckpoint>>;

  // coordinator_trigger.cpp
  bool IsScheduling() const { return job_running_ && settings_.interval.has_value(); }
  absl::Duration EffectiveInterval() const;
  void ArmPeriodic(absl::Duration at, Actions& actions);
  void EnsurePeriodicArmed(Now now, Actions& actions);
  void OnPeriodicTimer(Now now, Actions& actions);
  void Submit(TriggerRequest request, Now now, Actions& actions);
  void RunNext(Now now, Actions& actions);
  bool IsTriggering() const;
  struct Refusal {
    CheckpointId id = kNoCheckpoint;  // kNoCheckpoint: none was made
    FailureReason reason = FailureReason::kIoError;
    absl::Status cause;
  };
  void EndRequest(const TriggerRequest& request, const Refusal& refusal, Now now, Actions& actions);
  // Nullopt: the trigger goes on.
  std::optional<FailureReason> RepeatChecks(const Fetching& fetching, absl::Status* cause) const;
  void BeginPending(TriggerRequest request, const IdFacts& fetched, Now now, Actions& actions);
  void SendTriggers(const PendingCheckpoint& pending, Actions& actions);
  void MaybeTakeFinal(Now now, Actions& actions);
  void OnFinalEnded(Now now, Actions& actions);

  void Pause(FailureReason reason, const std::string& cause, Now now, Actions& actions);

  // coordinator_ending.cpp
  PendingCheckpoint* FindPending(CheckpointId id);
  AckOutcome AckOfEnded(const AckFacts& ack) const;
  AckOutcome AckOfPending(PendingCheckpoint& pending, AckFacts ack, Now now);
  void MaybeFinalize(PendingCheckpoint& pending, Actions& actions);
  void Complete(CheckpointId id, Now now, Actions& actions);
  void Abort(CheckpointId id, FailureReason reason, const absl::Status& cause, Now now,
             Actions& actions);
  void AbortAll(FailureReason reason, const absl::Status& cause, Now now, Actions& actions);
  void CountFailure(CheckpointId id, FailureReason reason, const absl::Status& cause,
                    Actions& actions);
  // False: the request of an aborted checkpoint is not tried again.
  bool RequeueRequest(const PendingCheckpoint& pending, FailureReason reason);
  std::unique_ptr<PendingCheckpoint> Leave(CheckpointId id, bool completed, Actions& actions);
  // What follows every ending: the next request, the final checkpoint, Quiesced.
  void AfterEnding(Now now, Actions& actions);
  void OnStoreUnknown(PendingCheckpoint& pending, const absl::Status& cause, Now now,
                      Actions& actions);
  bool IsFrom(const Sender& sender) const;

  const JobFacts job_;
  const CoordinatorSettings settings_;
  base::Random random_;
  TaskTable tasks_;
  RequestQueue queue_;
  FailureCounter failures_;
  EndedIds ended_;
  CheckpointHistory history_;
  Pending pending_;
  std::optional<Fetching> fetching_;
  Mode mode_ = Mode::kWaiting;
  ShutdownReason shutdown_reason_ = ShutdownReason::kJobEnded;
  bool job_running_ = false;
  bool quiesce_owed_ = false;  // Quiesced follows when nothing is pending
  bool fail_job_sent_ = false;
  FinalState final_ = FinalState::kNone;
  std::optional<absl::Duration> periodic_at_;  // armed for, steady
  absl::Duration last_completed_at_ = -absl::InfiniteDuration();
  CheckpointId latest_completed_ = kNoCheckpoint;
  CheckpointId highest_seen_ = kNoCheckpoint;
};

}  // namespace weir::checkpoint
