// TaskManagerApp: the taskmanager without its process: runs the tasks it is told to run.
// Everything it stands on comes from outside, so that it runs beside a jobmanager in one process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mailbox.h"
#include "common/fs/file_system.h"
#include "common/rpc/task_gateway.h"
#include "common/rpc/task_manager_facts.h"
#include "taskmanager/app/cancel_watch.h"
#include "taskmanager/connectors/file_sink_cleanup.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/task/job_execution.h"

namespace weir::taskmanager {

// All outlive the app.
struct TaskManagerServices {
  const base::Clock& clock;
  fs::FileSystem& files;
  base::Executor& io;
  base::Mailbox& loop;  // of the thread that calls the app
  task::SnapshotPlaces& places;
  rpc::TaskEvents& events;
  TaskManagerId self;                                         // nil: the only taskmanager there is
  network::DataPlane* channels = nullptr;                     // null: there are no others
  std::shared_ptr<state::MemoryBudget> state_memory;          // null: no limit
  absl::Duration cancel_patience = absl::InfiniteDuration();  // of OverdueTasks()
};

// Life:      many jobs, one execution of each; deploying a job again ends what is left of its
//            execution before.
// Thread:    the control loop's.
// Invariant: a place that a job's sinks hold is given back by Release() or CancelAll() only.
class TaskManagerApp final : public rpc::TaskGateway, public rpc::SinkPreparer {
 public:
  explicit TaskManagerApp(TaskManagerServices services)
      : services_(std::move(services)), cancelled_(services_.cancel_patience) {}

  absl::Status Deploy(rpc::JobDeployment deployment) override;
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override;
  void NotifyComplete(AttemptId attempt, CheckpointId id) override;
  void NotifyAborted(AttemptId attempt, CheckpointId id) override;
  void Cancel(AttemptId attempt) override;
  void Release(JobId job) override;

  void Prepare(const rpc::JobDeployment& deployment, Done done) override;

  // The jobmanager is gone: every task is cancelled and every job released. `done` runs on the loop
  // once nothing runs any more; it may come in this call.
  void CancelAll(absl::AnyInvocable<void()> done);

  // Of every task, ended ones included, until their job is released.
  std::vector<rpc::TaskCounts> Counts() const;
  // Names of the tasks that have not ended long after they were cancelled.
  std::vector<std::string> OverdueTasks();

 private:
  // What this process holds for one job.
  struct JobHere {
    std::unique_ptr<task::JobExecution> execution;  // null: prepared only
    // What the job's sinks hold of their places, from its first start on. Shared with a
    // preparation on the I/O pool, at most one at a time, which alone touches it then.
    std::shared_ptr<connectors::SinkOwnership> ownership;
  };

  task::Task* Find(AttemptId attempt) const;
  void Cancel(task::Task& task);

  const TaskManagerServices services_;
  std::map<JobId, JobHere> jobs_;
  CancelWatch cancelled_;
};

}  // namespace weir::taskmanager
