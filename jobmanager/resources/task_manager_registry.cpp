#include "jobmanager/resources/task_manager_registry.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

namespace weir::resources {
namespace {

absl::Status Check(const rpc::TaskManagerFacts& facts) {
  if (facts.id.IsNil()) return absl::InvalidArgumentError("a taskmanager without an id");
  if (facts.slots == 0 || facts.slots > rpc::kSlotsMax) {
    return absl::InvalidArgumentError(absl::StrCat("taskmanager ", NameOf(facts), " offers ",
                                                   facts.slots, " slots; it must be 1 to ",
                                                   rpc::kSlotsMax));
  }
  if (facts.data_address.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "taskmanager ", NameOf(facts), " has no address where others could bring data"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string NameOf(const rpc::TaskManagerFacts& facts) {
  return absl::StrCat(facts.id.ToShortString(), " on ", facts.host);
}

TaskManagerRegistry::~TaskManagerRegistry() {
  listeners_.clear();  // they may be gone
  entries_.clear();
}

void TaskManagerRegistry::Close(const absl::Status& cause) {
  epoch_.reset();
  while (!entries_.empty()) {
    const TaskManagerId id = entries_.begin()->first;
    entries_.begin()->second.link->Close(cause);
    OnLost(id, cause);
  }
}

absl::StatusOr<Registration> TaskManagerRegistry::Register(rpc::TaskManagerFacts facts,
                                                           std::unique_ptr<TaskManagerLink> link) {
  if (!epoch_.has_value()) {
    return absl::UnavailableError("this jobmanager does not lead the cluster (yet)");
  }
  if (const absl::Status checked = Check(facts); !checked.ok()) return checked;
  OnLost(facts.id, absl::UnavailableError("it has registered anew"));
  if (entries_.size() >= kTaskManagersMax) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the cluster has its ", kTaskManagersMax, " taskmanagers"));
  }
  const TaskManagerId id = facts.id;
  LOG(INFO) << "taskmanager registered taskmanager=" << id.ToString() << " host=" << facts.host
            << " slots=" << facts.slots << " data=" << facts.data_address << " pid=" << facts.pid;
  const absl::Time now = clock_.WallNow();
  Entry& entry = entries_[id];
  entry.taskmanager = {
      .facts = std::move(facts), .registered_at = now, .heard_at = now, .report = {}};
  entry.link = std::move(link);
  for (RegistryListener* listener : listeners_) listener->OnRegistered(entry.taskmanager);
  return Registration{*epoch_};
}

void TaskManagerRegistry::OnReport(TaskManagerId id, rpc::TaskManagerReport report) {
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;
  RegisteredTaskManager& taskmanager = it->second.taskmanager;
  taskmanager.heard_at = clock_.WallNow();
  taskmanager.report = std::move(report);
  for (RegistryListener* listener : listeners_) listener->OnReport(taskmanager);
}

void TaskManagerRegistry::OnLost(TaskManagerId id, const absl::Status& cause) {
  auto node = entries_.extract(id);
  if (node.empty()) return;
  const RegisteredTaskManager& taskmanager = node.mapped().taskmanager;
  LOG(WARNING) << "taskmanager lost taskmanager=" << id.ToString()
               << " host=" << taskmanager.facts.host << " cause=" << cause;
  for (RegistryListener* listener : listeners_) listener->OnLost(taskmanager, cause);
}

std::vector<const RegisteredTaskManager*> TaskManagerRegistry::all() const {
  std::vector<const RegisteredTaskManager*> all;
  all.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) all.push_back(&entry.taskmanager);
  return all;
}

const RegisteredTaskManager* TaskManagerRegistry::Find(TaskManagerId id) const {
  const auto it = entries_.find(id);
  return it == entries_.end() ? nullptr : &it->second.taskmanager;
}

TaskManagerLink* TaskManagerRegistry::LinkOf(TaskManagerId id) const {
  const auto it = entries_.find(id);
  return it == entries_.end() ? nullptr : it->second.link.get();
}

}  // namespace weir::resources
