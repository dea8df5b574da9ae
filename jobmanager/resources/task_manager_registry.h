// TaskManagerRegistry: the taskmanagers that are there, and who is told of it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/rpc/task_manager_facts.h"
#include "jobmanager/resources/task_manager_link.h"
#include "jobmanager/resources/task_manager_registrar.h"

namespace weir::resources {

// Most taskmanagers of one cluster: each costs a connection, a heartbeat a second and a report.
inline constexpr size_t kTaskManagersMax = 1024;

struct RegisteredTaskManager {
  rpc::TaskManagerFacts facts;
  absl::Time registered_at;
  absl::Time heard_at;
  rpc::TaskManagerReport report;  // the newest
};

// For people: "1a2b3c4d on worker-7".
std::string NameOf(const rpc::TaskManagerFacts& facts);

// Thread: the registry's.
class RegistryListener {
 public:
  virtual ~RegistryListener() = default;
  virtual void OnRegistered(const RegisteredTaskManager& taskmanager) {}
  virtual void OnReport(const RegisteredTaskManager& taskmanager) {}
  // It is not in the registry any more. `cause` says why, not who.
  virtual void OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) {}
};

// Life:      listeners are added before the first taskmanager comes and outlive the registry's use.
// Thread:    the control loop's.
// Invariant: whatever a listener hears of between OnRegistered() and OnLost() is in all().
class TaskManagerRegistry final : public TaskManagerRegistrar {
 public:
  explicit TaskManagerRegistry(const base::Clock& clock) : clock_(clock) {}
  ~TaskManagerRegistry() override;

  // Told in the order added.
  void AddListener(RegistryListener& listener) { listeners_.push_back(&listener); }
  // From now on taskmanagers are taken in.
  void Lead(uint64_t epoch) { epoch_ = epoch; }
  // Lets every taskmanager go, and takes none in until Lead().
  void Close(const absl::Status& cause);

  // UNAVAILABLE: not the leader. RESOURCE_EXHAUSTED: kTaskManagersMax are there.
  // INVALID_ARGUMENT: no slots, or more than rpc::kSlotsMax; no data address.
  absl::StatusOr<Registration> Register(rpc::TaskManagerFacts facts,
                                        std::unique_ptr<TaskManagerLink> link) override;
  void OnReport(TaskManagerId id, rpc::TaskManagerReport report) override;
  void OnLost(TaskManagerId id, const absl::Status& cause) override;

  // By id.
  std::vector<const RegisteredTaskManager*> all() const;
  size_t size() const { return entries_.size(); }
  // Null: not there.
  const RegisteredTaskManager* Find(TaskManagerId id) const;
  TaskManagerLink* LinkOf(TaskManagerId id) const;

 private:
  struct Entry {
    RegisteredTaskManager taskmanager;
    std::unique_ptr<TaskManagerLink> link;
  };

  const base::Clock& clock_;
  std::optional<uint64_t> epoch_;  // nullopt: not the leader
  std::map<TaskManagerId, Entry> entries_;
  std::vector<RegistryListener*> listeners_;
};

}  // namespace weir::resources
