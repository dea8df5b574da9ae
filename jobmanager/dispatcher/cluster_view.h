// ClusterView: what a dispatcher may ask of the processes that run its jobs.
#pragma once

#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/rpc/task_manager_facts.h"
#include "jobmanager/dispatcher/job_api.h"

namespace weir::dispatcher {

// Thread: the control loop's.
class ClusterView {
 public:
  using LogsDone = absl::AnyInvocable<void(absl::StatusOr<std::vector<rpc::LogLine>>)>;
  virtual ~ClusterView() = default;

  // By id.
  virtual std::vector<TaskManagerDetail> TaskManagers() const = 0;
  // This process's own newest log lines, the oldest first.
  virtual std::vector<rpc::LogLine> OwnLog(const rpc::LogRequest& request) const = 0;
  // A taskmanager's. `done` runs later or inside the call. NOT_FOUND: not there.
  virtual void ReadLogs(TaskManagerId id, const rpc::LogRequest& request, LogsDone done) = 0;
  // Counters that can be read at once; those that come as reports are told to the dispatcher.
  virtual std::vector<rpc::TaskCounts> Counts() const = 0;
};

}  // namespace weir::dispatcher
