// TaskManagerRegistrar: who takes taskmanagers in. The wire adapter (jobmanager/server) tells it of
// them; the registry implements it.
#pragma once

#include <cstdint>
#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/rpc/task_manager_facts.h"
#include "jobmanager/resources/task_manager_link.h"

namespace weir::resources {

struct Registration {
  // The leader's. Every JobDeployment sent to the taskmanager carries the same one. It rises with
  // every jobmanager of a cluster: a taskmanager refuses one below the highest it has seen there.
  uint64_t epoch = 0;
};

// Thread: the control loop's.
class TaskManagerRegistrar {
 public:
  virtual ~TaskManagerRegistrar() = default;

  // Takes a taskmanager in, whose version and checkpoint directory have been checked. One of the
  // same id that was registered before has been reported as lost. The link may be used once this
  // has returned; on an error it is destroyed and the taskmanager is told the message.
  // UNAVAILABLE: not the leader (yet); it tries again soon. Others: it tries again rarely.
  virtual absl::StatusOr<Registration> Register(rpc::TaskManagerFacts facts,
                                                std::unique_ptr<TaskManagerLink> link) = 0;
  // The answer to a heartbeat.
  virtual void OnReport(TaskManagerId id, rpc::TaskManagerReport report) = 0;
  // Once: the connection has ended, an answer is overdue or the taskmanager has registered anew.
  // Nothing of its tasks will be heard again, and it ends them by itself. The link may be destroyed
  // inside this call.
  virtual void OnLost(TaskManagerId id, const absl::Status& cause) = 0;
};

}  // namespace weir::resources
