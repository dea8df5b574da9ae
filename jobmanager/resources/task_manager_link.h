// TaskManagerLink: a registered taskmanager as the jobmanager sees it.
#pragma once

#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/rpc/task_gateway.h"
#include "common/rpc/task_manager_facts.h"

namespace weir::resources {

// Calls of TaskGateway are sent and return at once; what their answer refuses comes as an event
// (see TaskGateway). Of a JobDeployment the states of other taskmanagers' tasks are not sent.
// Heartbeats go out by themselves; their answers come as TaskManagerRegistrar::OnReport().
//
// Life:      given to TaskManagerRegistrar::Register(); destroying it ends the connection without
//            OnLost(). Callbacks still owed are run later on the loop, with UNAVAILABLE.
// Thread:    the control loop's.
// Invariant: after the connection has ended Deploy() and Trigger() return UNAVAILABLE and every
//            other call does nothing. The attempts of a lost taskmanager get no events of their
//            own: OnLost() stands for all of them.
class TaskManagerLink : public rpc::TaskGateway, public rpc::SinkPreparer {
 public:
  using LogsDone = absl::AnyInvocable<void(absl::StatusOr<std::vector<rpc::LogLine>>)>;

  // Lines of the taskmanager's own log, the oldest first. UNAVAILABLE, DEADLINE_EXCEEDED.
  virtual void ReadLogs(const rpc::LogRequest& request, LogsDone done) = 0;
  // Tells the taskmanager why it is let go, then ends the connection. OnLost() does not follow.
  virtual void Close(const absl::Status& cause) = 0;
};

}  // namespace weir::resources
