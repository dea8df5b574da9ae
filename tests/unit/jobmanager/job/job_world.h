// JobWorld: a job with everything around it but threads, wires and time: taskmanagers whose tasks
// answer one event at a time, so that a test can come between any two of them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mailbox.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/testing/manual_clock.h"
#include "common/testing/manual_executor.h"
#include "common/testing/virtual_timers.h"
#include "jobmanager/job/job.h"
#include "jobmanager/resources/cluster_gateway.h"
#include "jobmanager/resources/slot_pool.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::job {

// What the tasks of a JobWorld do.
struct JobScript {
  // After so many completed checkpoints of one execution the input ends.
  int checkpoints = 1;
  // So many executions lose a task to a failure of its own, each after its first checkpoint.
  int failing_executions = 1;
  // What such a task fails with.
  absl::Status failure = absl::InternalError("boom");
  StartedBy started_by = StartedBy::kPerson;
};

// Keeps what tasks say until Step() delivers it.
class EventQueue final : public rpc::TaskEvents {
 public:
  explicit EventQueue(std::deque<std::function<void(Job&)>>& events) : events_(events) {}

  void OnTaskRunning(const checkpoint::Sender& sender) override {
    events_.push_back([sender](Job& job) { job.OnTaskRunning(sender); });
  }
  void OnEndOfData(const checkpoint::Sender& sender) override {
    events_.push_back([sender](Job& job) { job.OnEndOfData(sender); });
  }
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override {
    events_.push_back([sender, status](Job& job) { job.OnTaskEnded(sender, status); });
  }
  void OnAck(checkpoint::AckFacts ack) override {
    events_.push_back([ack](Job& job) { job.OnAck(ack); });
  }
  void OnDecline(const checkpoint::DeclineFacts& decline) override {
    events_.push_back([decline](Job& job) { job.OnDecline(decline); });
  }

 private:
  std::deque<std::function<void(Job&)>>& events_;
};

// A store that first answers what the test says.
class FlakyCheckpointStore final : public coordination::CompletedCheckpointStore {
 public:
  explicit FlakyCheckpointStore(checkpoint::CheckpointStorage& storage) : inner_(storage, {}) {}

  absl::StatusOr<coordination::Recovered> Recover(
      const coordination::RecoverOptions& options) override {
    if (recoveries.empty()) return inner_.Recover(options);
    const absl::Status fails = recoveries.front();
    recoveries.pop_front();
    return fails;
  }
  coordination::AddResult Add(const std::string& location,
                              checkpoint::CheckpointMetadata metadata) override {
    return inner_.Add(location, std::move(metadata));
  }
  coordination::AddResult ReadBack(CheckpointId id) override { return inner_.ReadBack(id); }
  std::optional<coordination::CompletedCheckpoint> Latest() const override {
    return inner_.Latest();
  }
  std::vector<CheckpointId> ListedIds() const override { return inner_.ListedIds(); }
  absl::Status Shutdown(coordination::JobEnd end) override { return inner_.Shutdown(end); }

  std::deque<absl::Status> recoveries;  // taken first

 private:
  coordination::MemoryCompletedCheckpointStore inner_;
};

// Life: one job. Thread: the test's.
class JobWorld {
 public:
  explicit JobWorld(JobScript script);
  ~JobWorld();
  JobWorld(const JobWorld&) = delete;
  JobWorld& operator=(const JobWorld&) = delete;

  // A taskmanager with 2 slots registers. `number` > 0 names it.
  void AddTaskManager(uint64_t number);
  // Its connection ends and its tasks are gone. False: it is not there.
  bool LoseTaskManager(uint64_t number);
  static TaskManagerId IdOf(uint64_t number) { return {number << 32, number}; }

  // Exactly one thing happens: a mail, an event, a piece of blocking work, something a task does,
  // or if there is nothing else the next timer. False: nothing is left that could happen.
  bool Step();
  // Steps until the job has ended and nothing is left, at most `steps_max`. Returns how many.
  int RunToEnd(int steps_max = 2000);

  // Tasks that were deployed and neither ended nor went with their taskmanager.
  int live_tasks() const;
  int deployments() const { return deployments_; }
  // Fails, and says why, unless the job ended without leaving anything behind.
  std::string Leftovers() const;

  testing::ManualClock clock;
  testing::VirtualTimers timers{clock};
  testing::ManualExecutor io;
  base::Mailbox loop;
  checkpoint::MemoryCheckpointStorage storage;
  coordination::MemoryCheckpointIdCounter counter;
  FlakyCheckpointStore store{storage};
  std::deque<std::function<void(Job&)>> events;
  EventQueue event_queue{events};
  resources::TaskManagerRegistry registry{clock};
  std::unique_ptr<resources::SlotPool> pool;
  resources::ClusterGateway gateway{registry, event_queue};
  std::unique_ptr<Job> job;
  // Answers of the sinks, taken first; empty: OK.
  std::deque<absl::Status> preparations;

 private:
  class Link;
  struct Task {
    checkpoint::Sender sender;
    TaskManagerId taskmanager;
    bool is_source = false;
    bool is_live = true;
    bool data_ended = false;
    bool is_final = false;  // has acknowledged the final checkpoint
    int notified = 0;
  };
  // Something a taskmanager will do.
  struct Action {
    TaskManagerId taskmanager;
    std::function<void()> run;
  };

  void Later(TaskManagerId id, std::function<void()> run) {
    actions_.push_back({id, std::move(run)});
  }
  void OnDeploy(TaskManagerId id, const rpc::JobDeployment& deployment);
  void OnTrigger(AttemptId attempt, const checkpoint::Barrier& barrier);
  void OnNotify(AttemptId attempt);
  void EndSoon(AttemptId attempt, const absl::Status& status);

  const JobScript script_;
  std::shared_ptr<const graph::Plan> plan_;
  std::map<AttemptId, Task> tasks_;
  std::deque<Action> actions_;
  std::map<CheckpointId, int> triggered_;
  int deployments_ = 0;
  uint64_t generation_ = 0;
  bool input_ends_ = false;
  bool has_failed_ = false;
};

}  // namespace weir::job
