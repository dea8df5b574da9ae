#include "tests/unit/jobmanager/dispatcher/dispatcher_world.h"

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

namespace weir::dispatcher {

std::string JobText(const std::string& name, const std::string& settings) {
  return absl::StrCat("weir: 1\nname: ", name, "\ndescription: A test.\nsettings: ", settings, R"(
types:
  number: {n: int64 not null}
sources:
  in:
    connector: datagen
    options: {count: 100, fields: {n: {kind: sequence, start: 0, step: 1}}}
    schema: number
transforms:
  counts: {type: aggregate, input: in, key_by: {k: "n % 10"}, aggregates: {c: count(*)}}
sinks:
  out: {connector: blackhole, input: counts, changelog: log}
)");
}

absl::StatusOr<JobStores> MemoryStoresFactory::Make(JobId job,
                                                    const graph::CheckpointingOptions& options) {
  if (!fails.ok()) return fails;
  made.push_back(job);
  JobStores stores;
  stores.storage = std::make_unique<checkpoint::MemoryCheckpointStorage>();
  stores.counter = std::make_unique<coordination::MemoryCheckpointIdCounter>();
  stores.checkpoints = std::make_unique<coordination::MemoryCompletedCheckpointStore>(
      *stores.storage, coordination::RetentionOptions{});
  return stores;
}

DispatcherWorld::~DispatcherWorld() {
  dispatcher.reset();
  Settle();
}

void DispatcherWorld::Begin() {
  dispatcher.reset();
  ++options.epoch;
  ++options.seed;
  const DispatcherServices services{clock,  timers, io,     loop,    tasks,  tasks,
                                    events, slots,  graphs, results, stores, cluster};
  dispatcher = std::make_unique<Dispatcher>(
      options, services,
      DispatcherObserver{
          .leadership_lost =
              [this](const absl::Status& cause) { leadership_lost.push_back(cause); },
          .state_changed =
              [this](JobId id, job::JobState from, job::JobState to, const absl::Status& cause) {
                changes.push_back(absl::StrCat(id.ToShortString(), " ", job::ToString(to)));
              },
          .settled = nullptr});
}

absl::Status DispatcherWorld::Start() {
  std::optional<absl::Status> started;
  dispatcher->Start([&started](const absl::Status& status) { started = status; });
  Settle();
  REQUIRE(started.has_value());
  return *started;
}

void DispatcherWorld::Stop() {
  bool is_stopped = false;
  dispatcher->Stop([&is_stopped] { is_stopped = true; });
  Settle();
  std::vector<JobId> running;
  for (const JobSummary& job : dispatcher->List(/*ended=*/false)) running.push_back(job.id);
  for (const JobId id : running) {
    CHECK_FALSE(is_stopped);
    EndCancelled(id);
  }
  CHECK(is_stopped);
}

void DispatcherWorld::Settle() {
  while (loop.Drain() > 0 || io.RunOne()) {
  }
}

std::optional<absl::StatusOr<SubmitAnswer>> DispatcherWorld::Submit(const std::string& text,
                                                                    const std::string& request_id) {
  std::optional<absl::StatusOr<SubmitAnswer>> answer;
  dispatcher->Submit({.source = {.file_name = "job.yaml", .text = text}, .request_id = request_id},
                     [&answer](absl::StatusOr<SubmitAnswer> given) { answer = std::move(given); });
  Settle();
  return answer;
}

JobId DispatcherWorld::MustSubmit(const std::string& text, const std::string& request_id) {
  const auto answer = Submit(text, request_id);
  REQUIRE(answer.has_value());
  INFO(answer->status());
  REQUIRE(answer->ok());
  for (const config::Diagnostic& diagnostic : (*answer)->diagnostics.Sorted()) {
    UNSCOPED_INFO(diagnostic.message);
  }
  REQUIRE_FALSE((*answer)->job.IsNil());
  return (*answer)->job;
}

job::JobState DispatcherWorld::StateOf(JobId id) const {
  const absl::StatusOr<JobDetail> detail = dispatcher->Describe(id.ToString());
  REQUIRE(detail.ok());
  return detail->summary.state;
}

void DispatcherWorld::RunTasks(JobId id) {
  const rpc::JobDeployment& deployment = tasks.deployed.at(id);
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    events.OnTaskRunning({id, deployment.epoch, task.attempt});
  }
  Settle();
}

void DispatcherWorld::EndTasks(JobId id, const absl::Status& status) {
  const rpc::JobDeployment& deployment = tasks.deployed.at(id);
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    events.OnTaskEnded({id, deployment.epoch, task.attempt}, status);
  }
  Settle();
}

void DispatcherWorld::EndCancelled(JobId id) {
  EndTasks(id, absl::CancelledError("asked to"));
}

}  // namespace weir::dispatcher
