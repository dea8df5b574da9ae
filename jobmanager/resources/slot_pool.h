// SlotPool: which slots of the registered taskmanagers each job holds, and which jobs wait for
// some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/base/mailbox.h"
#include "common/base/timer_service.h"
#include "jobmanager/resources/slot_provider.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::resources {

// What one taskmanager has.
struct SlotCount {
  uint32_t slots = 0;
  uint32_t free = 0;
};

// Chooses `count` slots among taskmanagers in the order of their ids: the index of each slot's
// taskmanager, or nothing if not all fit. See jobmanager/scheduler.
using SlotPlacement =
    std::function<std::vector<size_t>(const std::vector<SlotCount>& taskmanagers, uint32_t count)>;

struct SlotPoolOptions {
  absl::Duration request_timeout = absl::Minutes(5);  // `jobmanager.scheduler.slot-request-timeout`
};

// Requests are served in the order they came. One that the whole cluster could not satisfy, were it
// empty, keeps nobody behind it waiting.
//
// Life:      a listener of `registry`; destroyed before registry, loop and timers; requests that
//            were not answered by then never are.
// Thread:    the control loop's.
// Invariant: a taskmanager's used slots are those that jobs hold on it, and at most what it offers.
// Invariant: a job either waits, holds, or neither.
class SlotPool final : public SlotProvider, public RegistryListener {
 public:
  struct Services {
    TaskManagerRegistry& registry;
    base::Mailbox& loop;
    base::TimerService& timers;
  };
  SlotPool(SlotPoolOptions options, SlotPlacement placement, Services services);
  ~SlotPool() override;
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  // --- SlotProvider ---
  void Acquire(JobId job, uint32_t count, Done done) override;
  void Release(JobId job) override;
  std::string WaitsFor(JobId job) const override;

  // --- RegistryListener ---
  void OnRegistered(const RegisteredTaskManager& taskmanager) override;
  // Its slots vanish, also those that jobs hold.
  void OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) override;

  // Zero for an unknown taskmanager.
  uint32_t FreeOn(TaskManagerId id) const;
  SlotCount Total() const;

 private:
  struct Request {
    JobId job;
    uint32_t count = 0;
    Done done;
    base::TimerId timer;
  };
  using Requests = std::list<Request>;

  void ServeSoon();
  void Serve();
  // The oldest request that can be served now, or the end.
  Requests::iterator NextToServe();
  SlotAssignment Take(JobId job, const std::vector<TaskManagerId>& ids,
                      const std::vector<size_t>& chosen);
  void OnTimeout(JobId job);
  std::string Describe(const Request& request) const;
  std::vector<TaskManagerId> Ids() const;
  std::vector<SlotCount> Counts(const std::vector<TaskManagerId>& ids) const;

  const SlotPoolOptions options_;
  const SlotPlacement placement_;
  const Services services_;
  std::map<TaskManagerId, uint32_t> used_;
  std::map<JobId, std::map<TaskManagerId, uint32_t>> held_;
  Requests waiting_;  // the oldest first
  bool serve_posted_ = false;
  std::shared_ptr<SlotPool*> self_;  // held weakly by mails
};

}  // namespace weir::resources
