// TaskManagerRoutes: a taskmanager's HTTP interface: health and metrics, nothing that changes.
#pragma once

#include <functional>

#include "common/rpc/http/http_server.h"
#include "common/rpc/task_manager_facts.h"

namespace weir::server {

// What the routes tell. The functions are called on the control loop.
struct TaskManagerView {
  std::function<rpc::TaskManagerReport()> report;
  std::function<bool()> is_registered;  // with a jobmanager
};

// Thread: the control loop's.
class TaskManagerRoutes {
 public:
  explicit TaskManagerRoutes(TaskManagerView view) : view_(std::move(view)) {}

  // /livez, /readyz, /metrics.
  void Handle(const rpc::HttpRequest& request, rpc::HttpRespond respond) const;

 private:
  const TaskManagerView view_;
};

}  // namespace weir::server
