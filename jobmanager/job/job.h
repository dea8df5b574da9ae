// Job: one job from its plan to its end: restores, deploys, restarts, finishes.
// Decisions about checkpoints are the coordinator's, about restarts the strategy's; this ties them
// to the job's lifecycle.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "common/base/id_source.h"
#include "common/base/ids.h"
#include "common/checkpoint/metadata.h"
#include "common/graph/job_graph.h"
#include "common/graph/plan.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/checkpointing/checkpoint_coordinator.h"
#include "jobmanager/job/execution.h"
#include "jobmanager/job/job_lifecycle.h"
#include "jobmanager/job/restart_strategy.h"

namespace weir::job {

// What a job is. `seed` makes its attempt ids, first trigger delay and jitter.
struct JobDescription {
  JobId id;
  uint64_t epoch = 0;
  std::shared_ptr<const graph::Plan> plan;  // shared with every task
  std::shared_ptr<const graph::JobGraph> graph;
  uint64_t seed = 0;
};

// All outlive the job.
struct JobServices {
  checkpointing::CheckpointServices checkpoints;
  rpc::SinkPreparer& sinks;
};

// Numbers for people.
struct JobCounts {
  int64_t restarts = 0;
  CheckpointId restored = kNoCheckpoint;  // of the execution that runs or ran last
  int64_t fallbacks = 0;                  // unreadable checkpoints passed over
  bool has_run = false;                   // tasks were deployed at least once
};

// Life:      made CREATED; Start() once; may go when HasEnded(state()).
// Thread:    the control loop's. TaskEvents arrive there, posted by whoever carries them.
// Invariant: at most one execution has live attempts.
// Invariant: nothing is deployed between reading the newest checkpoint and the end of every
//            checkpoint of the execution before.
class Job final : public checkpointing::CheckpointOwner {
 public:
  Job(JobDescription description, JobServices services);
  ~Job() override;

  const JobLifecycle& lifecycle() const { return lifecycle_; }
  JobLifecycle& lifecycle() { return lifecycle_; }
  const JobCounts& counts() const { return counts_; }
  const checkpointing::CheckpointCoordinator& checkpoints() const { return coordinator_; }

  // Restores the newest checkpoint if there is one, deploys and runs. The end is told to the
  // lifecycle's listeners.
  void Start();
  // Ends the job for good: CANCELED once every task is gone.
  void Cancel();
  // Ends this process's part: SUSPENDED once every task is gone; everything a restart needs stays.
  void Suspend();

  void OnTaskRunning(const checkpoint::Sender& sender);
  void OnEndOfData(const checkpoint::Sender& sender);
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status);
  void OnAck(checkpoint::AckFacts ack) { coordinator_.OnAck(std::move(ack)); }
  void OnDecline(const checkpoint::DeclineFacts& decline) { coordinator_.OnDecline(decline); }

  void OnCheckpointingFailed(const absl::Status& cause) override;
  void OnQuiesced() override;

 private:
  // What the job does once no attempt lives and no checkpoint is pending.
  enum class After : uint8_t { kNothing, kRestart, kCanceled, kSuspended };

  bool IsOfExecution(const checkpoint::Sender& sender) const;
  void ReadNewest();
  void OnRecovered(const coordination::Recovered& recovered);
  void PrepareSinks(std::optional<coordination::CompletedCheckpoint> newest);
  absl::StatusOr<rpc::JobDeployment> MakeDeployment(
      const std::optional<coordination::CompletedCheckpoint>& newest);
  void DeployAbove(CheckpointId highest_seen, rpc::JobDeployment deployment);
  void Deploy(rpc::JobDeployment deployment);
  void Fail(const absl::Status& cause);
  void CancelTasks();
  void MaybeSettle();
  void Restart();
  void Finish();
  void EndWith(JobState state, const absl::Status& cause);
  template <class Result>
  void RunIo(absl::AnyInvocable<Result()> work, absl::AnyInvocable<void(Result)> done);

  const JobDescription description_;
  const JobServices services_;
  JobLifecycle lifecycle_;
  base::IdSource ids_;
  const std::unique_ptr<RestartStrategy> restarts_;
  checkpointing::CheckpointCoordinator coordinator_;
  std::optional<Execution> execution_;
  After after_ = After::kNothing;
  bool quiesced_ = true;
  bool deploying_ = false;  // between Start() and the deployment
  absl::Status root_cause_;
  bool recovered_ = false;                   // the store's list has been read
  CheckpointId unreadable_ = kNoCheckpoint;  // its state turned out to be damaged: go below it
  JobCounts counts_;
  std::optional<base::TimerId> restart_timer_;
  std::shared_ptr<Job*> self_;  // held weakly by work elsewhere
};

}  // namespace weir::job
