#include "jobmanager/dispatcher/registry_view.h"

#include <utility>

#include <absl/strings/str_cat.h>

namespace weir::dispatcher {

std::vector<TaskManagerDetail> RegistryView::TaskManagers() const {
  std::vector<TaskManagerDetail> details;
  for (const resources::RegisteredTaskManager* taskmanager : registry_.all()) {
    details.push_back({.facts = taskmanager->facts,
                       .slots_free = pool_.FreeOn(taskmanager->facts.id),
                       .registered_at = taskmanager->registered_at,
                       .heard_at = taskmanager->heard_at,
                       .resident_bytes = taskmanager->report.resident_bytes});
  }
  return details;
}

std::vector<rpc::LogLine> RegistryView::OwnLog(const rpc::LogRequest& request) const {
  return own_log_(request);
}

void RegistryView::ReadLogs(TaskManagerId id, const rpc::LogRequest& request, LogsDone done) {
  resources::TaskManagerLink* link = registry_.LinkOf(id);
  if (link != nullptr) return link->ReadLogs(request, std::move(done));
  done(absl::NotFoundError(absl::StrCat("no taskmanager ", id.ToShortString(), " is registered")));
}

}  // namespace weir::dispatcher
