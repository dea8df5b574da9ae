// DispatcherWorld: a dispatcher with everything around it but threads, wires and time. Tasks do
// what the test says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/mailbox.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/coordination/memory/memory_job_stores.h"
#include "common/testing/manual_clock.h"
#include "common/testing/manual_executor.h"
#include "common/testing/virtual_timers.h"
#include "jobmanager/dispatcher/dispatcher.h"
#include "jobmanager/resources/local_slots.h"

namespace weir::dispatcher {

// Stores that can fail, over those of memory.
class FlakyGraphStore final : public coordination::JobGraphStore {
 public:
  absl::Status Put(const coordination::StoredJob& job) override {
    return fails.ok() ? inner.Put(job) : fails;
  }
  absl::Status MarkCancelled(JobId job) override {
    return fails.ok() ? inner.MarkCancelled(job) : fails;
  }
  absl::Status Remove(JobId job) override { return fails.ok() ? inner.Remove(job) : fails; }
  absl::StatusOr<std::vector<coordination::StoredJob>> List() override { return inner.List(); }

  coordination::MemoryJobGraphStore inner;
  absl::Status fails;
};
// The same.
class FlakyResultStore final : public coordination::JobResultStore {
 public:
  absl::Status Put(const coordination::EndedJob& job) override {
    return fails.ok() ? inner.Put(job) : fails;
  }
  absl::Status Remove(JobId job) override { return inner.Remove(job); }
  absl::StatusOr<std::vector<coordination::EndedJob>> List() override { return inner.List(); }

  coordination::MemoryJobResultStore inner;
  absl::Status fails;
};

// Makes stores in memory and remembers whose.
class MemoryStoresFactory final : public JobStoresFactory {
 public:
  bool HasDirectory() const override { return has_directory; }
  absl::StatusOr<JobStores> Make(JobId job, const graph::CheckpointingOptions& options) override;

  bool has_directory = true;
  absl::Status fails;
  std::vector<JobId> made;
};

// Writes down what tasks are told; sinks are settled at once.
class RecordingTasks final : public rpc::TaskGateway, public rpc::SinkPreparer {
 public:
  explicit RecordingTasks(base::Mailbox& loop) : loop_(loop) {}

  absl::Status Deploy(rpc::JobDeployment deployment) override {
    deployed[deployment.job] = std::move(deployment);
    return absl::OkStatus();
  }
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override {
    triggered.push_back(barrier.id);
    return absl::OkStatus();
  }
  void NotifyComplete(AttemptId attempt, CheckpointId id) override {}
  void NotifyAborted(AttemptId attempt, CheckpointId id) override {}
  void Cancel(AttemptId attempt) override { cancelled.push_back(attempt); }
  void Release(JobId job) override { released.push_back(job); }
  void Prepare(const rpc::JobDeployment& deployment, Done done) override {
    loop_.PostControl([done = std::move(done)]() mutable { done(rpc::SinkPreparation{}); });
  }

  std::map<JobId, rpc::JobDeployment> deployed;  // the newest of each job
  std::vector<CheckpointId> triggered;
  std::vector<AttemptId> cancelled;
  std::vector<JobId> released;

 private:
  base::Mailbox& loop_;
};

// A cluster of taskmanagers that only have logs.
class FakeCluster final : public ClusterView {
 public:
  std::vector<TaskManagerDetail> TaskManagers() const override { return taskmanagers; }
  std::vector<rpc::LogLine> OwnLog(const rpc::LogRequest& request) const override {
    asked.push_back(request);
    return own;
  }
  void ReadLogs(TaskManagerId id, const rpc::LogRequest& request, LogsDone done) override {
    asked.push_back(request);
    const auto it = logs.find(id);
    if (it == logs.end()) return done(absl::UnavailableError("it is lost"));
    done(it->second);
  }
  std::vector<rpc::TaskCounts> Counts() const override { return counts; }

  std::vector<TaskManagerDetail> taskmanagers;
  std::vector<rpc::LogLine> own;
  std::map<TaskManagerId, std::vector<rpc::LogLine>> logs;
  std::vector<rpc::TaskCounts> counts;
  mutable std::vector<rpc::LogRequest> asked;
};

// A job with `settings` (one YAML line).
std::string JobText(const std::string& name, const std::string& settings = "{parallelism: 2}");

// Life: what is stored stays while dispatchers come and go. Thread: the test's.
class DispatcherWorld {
 public:
  DispatcherWorld() { Begin(); }
  ~DispatcherWorld();

  // Another process: a new dispatcher over what is stored.
  void Begin();
  // Begin() and its Start(), to the end.
  absl::Status Start();
  void Stop();
  // Whatever can happen without a timer, happens.
  void Settle();

  // Submits and settles; nullopt: no answer came.
  std::optional<absl::StatusOr<SubmitAnswer>> Submit(const std::string& text,
                                                     const std::string& request_id = "");
  // REQUIRES: the job is accepted.
  JobId MustSubmit(const std::string& text, const std::string& request_id = "");
  job::JobState StateOf(JobId id) const;

  // The job's deployed tasks run, or end with `status`.
  void RunTasks(JobId id);
  void EndTasks(JobId id, const absl::Status& status);
  // Those that were told to end, end so.
  void EndCancelled(JobId id);

  DispatcherOptions options{.version = "test", .epoch = 1, .seed = 5};
  testing::ManualClock clock;
  testing::VirtualTimers timers{clock};
  testing::ManualExecutor io;
  base::Mailbox loop;
  RecordingTasks tasks{loop};
  TaskEventRouter events{loop};
  resources::LocalSlots slots{loop};
  FlakyGraphStore graphs;
  FlakyResultStore results;
  MemoryStoresFactory stores;
  FakeCluster cluster;
  std::vector<absl::Status> leadership_lost;
  std::vector<std::string> changes;  // "numbers RUNNING"
  std::unique_ptr<Dispatcher> dispatcher;
};

}  // namespace weir::dispatcher
