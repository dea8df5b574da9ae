// TaskManagerApp: the taskmanager without its process: runs the tasks it is told to run.
// Everything it stands on comes from outside, so that it runs beside a jobmanager in one process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mailbox.h"
#include "common/fs/file_system.h"
#include "common/rpc/task_gateway.h"
#include "taskmanager/connectors/file_sink_cleanup.h"
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
};

// Life:   one job at a time; deploying again ends what is left of the execution before.
// Thread: the control loop's.
class TaskManagerApp final : public rpc::TaskGateway, public rpc::SinkPreparer {
 public:
  explicit TaskManagerApp(TaskManagerServices services) : services_(services) {}

  absl::Status Deploy(rpc::JobDeployment deployment) override;
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override;
  void NotifyComplete(AttemptId attempt, CheckpointId id) override;
  void NotifyAborted(AttemptId attempt, CheckpointId id) override;
  void Cancel(AttemptId attempt) override;

  void Prepare(const rpc::JobDeployment& deployment, Done done) override;

  void ForEachMetrics(const std::function<void(const std::string& node_id,
                                               const operators::OperatorMetrics&)>& visit) const;

 private:
  const TaskManagerServices services_;
  std::unique_ptr<task::JobExecution> execution_;
  // What the job's sinks hold of their places, from its first start on.
  connectors::SinkOwnership ownership_;
};

}  // namespace weir::taskmanager
