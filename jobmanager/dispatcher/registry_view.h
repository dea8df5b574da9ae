// RegistryView: the registered taskmanagers as a dispatcher sees them.
#pragma once

#include <functional>
#include <vector>

#include "jobmanager/dispatcher/cluster_view.h"
#include "jobmanager/resources/slot_pool.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::dispatcher {

// Life: registry and pool outlive it. Thread: the control loop's.
class RegistryView final : public ClusterView {
 public:
  using OwnLogReader = std::function<std::vector<rpc::LogLine>(const rpc::LogRequest& request)>;

  RegistryView(resources::TaskManagerRegistry& registry, const resources::SlotPool& pool,
               OwnLogReader own_log)
      : registry_(registry), pool_(pool), own_log_(std::move(own_log)) {}

  std::vector<TaskManagerDetail> TaskManagers() const override;
  std::vector<rpc::LogLine> OwnLog(const rpc::LogRequest& request) const override;
  void ReadLogs(TaskManagerId id, const rpc::LogRequest& request, LogsDone done) override;
  // None: they come with heartbeats.
  std::vector<rpc::TaskCounts> Counts() const override { return {}; }

 private:
  resources::TaskManagerRegistry& registry_;
  const resources::SlotPool& pool_;
  const OwnLogReader own_log_;
};

}  // namespace weir::dispatcher
