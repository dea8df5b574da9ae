// Wire adapter: what a jobmanager says to this taskmanager. Decode, fence, call, answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <absl/status/status.h>

#include "common/base/cluster_id.h"
#include "common/rpc/epoch_fence.h"
#include "common/rpc/task_gateway.h"
#include "common/rpc/task_manager_facts.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::server {

// What answers the jobmanager. Thread: the control loop's. All outlive whoever is given it.
struct HostedTasks {
  rpc::TaskGateway& tasks;
  rpc::SinkPreparer& sinks;
  std::function<rpc::TaskManagerReport()> report;
  // The newest lines that match, the oldest first.
  std::function<std::vector<rpc::LogLine>(const rpc::LogRequest&)> logs;
};

// Told of the jobmanager itself. Thread: the control loop's.
class JobManagerListener {
 public:
  virtual ~JobManagerListener() = default;
  // It has called.
  virtual void OnHeard() = 0;
  // It lets this taskmanager go.
  virtual void OnDismissed(const absl::Status& cause) = 0;
};

// Life:   handed to the jobmanager. Refuses every call once `alive` has expired, since a call may
// be
//         delivered late; until then the references are there.
// Thread: the control loop's.
class TaskManagerService final : public wire::TaskManager::Server {
 public:
  TaskManagerService(const HostedTasks& hosted, rpc::EpochFence& fence, ClusterId cluster,
                     JobManagerListener& listener, std::weak_ptr<const bool> alive);

  kj::Promise<void> deploy(DeployContext context) override;
  kj::Promise<void> prepareSinks(PrepareSinksContext context) override;
  kj::Promise<void> trigger(TriggerContext context) override;
  kj::Promise<void> notifyComplete(NotifyCompleteContext context) override;
  kj::Promise<void> notifyAborted(NotifyAbortedContext context) override;
  kj::Promise<void> cancel(CancelContext context) override;
  kj::Promise<void> release(ReleaseContext context) override;
  kj::Promise<void> heartbeat(HeartbeatContext context) override;
  kj::Promise<void> readLogs(ReadLogsContext context) override;
  kj::Promise<void> dismiss(DismissContext context) override;

 private:
  struct Preparations;

  // UNAVAILABLE: this taskmanager does not listen to the connection any more.
  absl::Status Admit();
  // ABORTED: the epoch is over.
  absl::Status Admit(uint64_t epoch);
  absl::StatusOr<checkpoint::Sender> ReadFenced(wire::Task::Reader task);

  const HostedTasks& hosted_;
  rpc::EpochFence& fence_;
  const ClusterId cluster_;
  JobManagerListener& listener_;
  const std::weak_ptr<const bool> alive_;
  // Held weakly by preparations under way.
  const std::shared_ptr<Preparations> preparations_;
};

}  // namespace weir::server
