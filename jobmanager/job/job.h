// Job: one job from its plan to its end: takes slots, restores, deploys, restarts, finishes.
// Decisions about checkpoints are the coordinator's, about restarts the strategy's; this ties them
// to the job's lifecycle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/id_source.h"
#include "common/base/ids.h"
#include "common/checkpoint/metadata.h"
#include "common/graph/job_graph.h"
#include "common/graph/job_source.h"
#include "common/graph/plan.h"
#include "common/graph/settings.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/checkpointing/checkpoint_coordinator.h"
#include "jobmanager/job/execution.h"
#include "jobmanager/job/failure_log.h"
#include "jobmanager/job/job_lifecycle.h"
#include "jobmanager/job/restart_strategy.h"
#include "jobmanager/resources/slot_provider.h"

namespace weir::job {

// Who hears of a job's first failures.
enum class StartedBy : uint8_t {
  kPerson,  // waits for it to run: what waiting cannot cure fails the job at once
  kSystem,  // a former process ran it: every failure is one to restart after
};

// What a job is. `seed` makes its attempt ids, first trigger delay and jitter.
struct JobDescription {
  JobId id;
  uint64_t epoch = 0;
  graph::JobSource source;  // of plan and graph; may be empty where no other process plans
  std::shared_ptr<const graph::Plan> plan;  // shared with every task
  std::shared_ptr<const graph::JobGraph> graph;
  graph::RestartOptions restart;  // see ChooseRestart()
  StartedBy started_by = StartedBy::kPerson;
  uint64_t seed = 0;
};

// All outlive the job.
struct JobServices {
  checkpointing::CheckpointServices checkpoints;
  rpc::SinkPreparer& sinks;
  resources::SlotProvider& slots;
};

// Numbers for people.
struct JobCounts {
  int64_t restarts = 0;
  CheckpointId restored = kNoCheckpoint;  // of the execution that runs or ran last
  CheckpointId found = kNoCheckpoint;     // the newest when the stored list was read
  absl::Time found_at;                    // its trigger
  int64_t fallbacks = 0;                  // unreadable checkpoints passed over
  bool has_run = false;                   // tasks were deployed at least once
};

// Slots a job needs: one subtask of every vertex shares one.
uint32_t SlotsOf(const graph::JobGraph& graph);

// Life:      made CREATED; Start() once; may go when HasEnded(state()).
// Thread:    the control loop's. TaskEvents arrive there, posted by whoever carries them.
// Invariant: at most one execution has live attempts.
// Invariant: nothing is deployed between reading the newest checkpoint and the end of every
//            checkpoint of the execution before.
// Invariant: slots are held from before an execution is made until its last attempt has ended.
class Job final : public checkpointing::CheckpointOwner {
 public:
  Job(JobDescription description, JobServices services);
  ~Job() override;

  const JobDescription& description() const { return description_; }
  const JobLifecycle& lifecycle() const { return lifecycle_; }
  JobLifecycle& lifecycle() { return lifecycle_; }
  const JobCounts& counts() const { return counts_; }
  const checkpointing::CheckpointCoordinator& checkpoints() const { return coordinator_; }
  checkpointing::CheckpointCoordinator& checkpoints() { return coordinator_; }
  // Null: the newest start has not come so far. The last one stays after the job's end.
  const Execution* execution() const { return execution_.has_value() ? &*execution_ : nullptr; }
  // Where subtask i of the execution's vertices runs.
  const resources::SlotAssignment& slots() const { return assignment_; }
  const FailureLog& failures() const { return failures_; }
  // Of the newest incident; OK: there was none.
  const absl::Status& root_cause() const { return root_cause_; }
  // What keeps it from running; empty: nothing.
  std::string WaitsFor() const { return services_.slots.WaitsFor(description_.id); }

  // Takes slots, restores the newest checkpoint if there is one, deploys and runs. The end is told
  // to the lifecycle's listeners.
  void Start();
  // Ends the job for good: CANCELED once every task is gone. No effect after the end.
  void Cancel();
  // Ends this process's part: SUSPENDED once every task is gone; everything a restart needs stays.
  // A job that is being cancelled ends CANCELED all the same. No effect after the end.
  void Suspend();

  void OnTaskRunning(const checkpoint::Sender& sender);
  void OnEndOfData(const checkpoint::Sender& sender);
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status);
  void OnAck(checkpoint::AckFacts ack) { coordinator_.OnAck(std::move(ack)); }
  void OnDecline(const checkpoint::DeclineFacts& decline) { coordinator_.OnDecline(decline); }

  void OnCheckpointingFailed(const absl::Status& cause) override;
  // Ends SUSPENDED, with ABORTED as the lifecycle's cause: whoever leads next goes on.
  void OnLeadershipLost(const absl::Status& cause) override;
  void OnQuiesced() override;

 private:
  // What the job does once no attempt lives and no checkpoint is pending.
  enum class After : uint8_t { kNothing, kRestart, kCanceled, kSuspended };
  // Steps of a start whose failure may pass by itself.
  enum class StartStep : uint8_t { kNone, kCheckpoints, kSlots, kSinks };

  bool IsOfExecution(const checkpoint::Sender& sender) const;

  // --- A start (job_start.cpp) ---
  void AcquireSlots();
  void OnSlots(absl::StatusOr<resources::SlotAssignment> slots);
  void ReadNewest();
  void OnRecovered(const coordination::Recovered& recovered);
  uint64_t NextGeneration();
  void PrepareSinks(const std::optional<coordination::CompletedCheckpoint>& newest);
  absl::StatusOr<rpc::JobDeployment> MakeDeployment(
      const std::optional<coordination::CompletedCheckpoint>& newest);
  void DeployAbove(CheckpointId highest_seen, rpc::JobDeployment deployment);
  void Deploy(rpc::JobDeployment deployment);
  // The start ends without a deployment: because of `cause`, or if it is OK because something else
  // was asked for meanwhile.
  void EndStart(const absl::Status& cause);
  template <class Result>
  void RunIo(absl::AnyInvocable<Result()> work, absl::AnyInvocable<void(Result)> done);

  // --- Failures and the end (job.cpp) ---
  Failure FailureOf(const Attempt* attempt, const absl::Status& status) const;
  void NoteFailure(Failure failure);
  void Fail(Failure failure);
  void StopExecution(After after, const std::string& why);
  void CancelTasks();
  void MaybeSettle();
  bool HasRun() const;
  bool IsFinal(const absl::Status& cause) const;
  bool WaitsForCheckpoints() const;
  absl::Duration DelayOfWaiting(absl::Duration now);
  void RestartAfter(absl::Duration delay);
  void Restart();
  void Finish();
  void EndWith(JobState state, const absl::Status& cause);

  const JobDescription description_;
  const JobServices services_;
  JobLifecycle lifecycle_;
  base::IdSource ids_;
  uint64_t generation_ = 0;  // of the newest start
  const std::unique_ptr<RestartStrategy> restarts_;
  // Of the wait for checkpoints that cannot be reached; null: there is none.
  std::unique_ptr<RestartStrategy> patience_;
  checkpointing::CheckpointCoordinator coordinator_;
  std::optional<Execution> execution_;
  resources::SlotAssignment assignment_;
  After after_ = After::kNothing;
  bool quiesced_ = true;
  bool starting_ = false;                   // between Start() and the deployment
  bool awaiting_slots_ = false;             // a part of a start
  bool has_slots_ = false;                  // the newest start got them
  StartStep failed_at_ = StartStep::kNone;  // of the newest start
  FailureLog failures_;
  absl::Status root_cause_;
  bool recovered_ = false;                   // the store's list has been read
  CheckpointId unreadable_ = kNoCheckpoint;  // its state turned out to be damaged: go below it
  JobCounts counts_;
  std::optional<base::TimerId> restart_timer_;
  std::shared_ptr<Job*> self_;  // held weakly by work elsewhere
};

}  // namespace weir::job
