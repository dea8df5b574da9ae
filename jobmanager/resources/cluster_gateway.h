// ClusterGateway: the tasks of every job as if they ran in one place: splits what is said to a job
// by taskmanager, and says of the tasks of a lost taskmanager that they have ended.
#pragma once

#include <map>
#include <set>

#include "common/base/ids.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::resources {

// Stands between the wire and the jobs in both directions: the wire's adapter is given events().
//
// Life:      a listener of `registry`, after those that count slots.
//            Registry and events outlive it.
// Thread:    the control loop's.
// Invariant: every attempt that was deployed gets exactly one OnTaskEnded(): its taskmanager's, or
//            UNAVAILABLE when that is lost. An attempt whose taskmanager is gone has ended.
class ClusterGateway final : public rpc::TaskGateway,
                             public rpc::SinkPreparer,
                             public rpc::TaskEvents,
                             public RegistryListener {
 public:
  // `events`: told of tasks; it posts, so nothing is told inside a call of a job.
  ClusterGateway(TaskManagerRegistry& registry, rpc::TaskEvents& events)
      : registry_(registry), events_(events) {}

  // --- TaskGateway ---
  // Always OK: what a taskmanager refuses is told as the end of the attempts it was given.
  absl::Status Deploy(rpc::JobDeployment deployment) override;
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override;
  void NotifyComplete(AttemptId attempt, CheckpointId id) override;
  void NotifyAborted(AttemptId attempt, CheckpointId id) override;
  void Cancel(AttemptId attempt) override;
  void Release(JobId job) override;

  // --- SinkPreparer ---
  // One taskmanager settles the sinks of a job as long as it is there, because it holds their
  // places: at first that of the deployment's first task. UNAVAILABLE: it is lost.
  void Prepare(const rpc::JobDeployment& deployment, Done done) override;

  // --- TaskEvents: from taskmanagers, on the control loop ---
  void OnTaskRunning(const checkpoint::Sender& sender) override;
  void OnEndOfData(const checkpoint::Sender& sender) override;
  // A second end of one attempt is not passed on.
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override;
  void OnAck(checkpoint::AckFacts ack) override;
  void OnDecline(const checkpoint::DeclineFacts& decline) override;

  // --- RegistryListener ---
  void OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) override;

 private:
  struct RunningAttempt {
    checkpoint::Sender sender;
    TaskManagerId taskmanager;
  };
  // Taskmanagers that hold something of a job.
  struct JobPlaces {
    std::set<TaskManagerId> deployed;
    TaskManagerId preparer;  // nil: none yet
  };

  // Null: the attempt has ended, or its taskmanager has.
  TaskManagerLink* LinkOf(AttemptId attempt) const;
  void ReleaseOn(TaskManagerId id, JobId job);
  void EndAll(const std::vector<AttemptId>& attempts, const absl::Status& cause);

  TaskManagerRegistry& registry_;
  rpc::TaskEvents& events_;
  std::map<AttemptId, RunningAttempt> running_;
  std::map<JobId, JobPlaces> places_;
};

}  // namespace weir::resources
