// Both ends of the wire with something plain behind each that remembers what it was told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/thread_pool.h"
#include "common/fs/local/local_file_system.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/resources/task_manager_registrar.h"
#include "jobmanager/server/registration_service.h"
#include "taskmanager/server/job_manager_client.h"
#include "tests/integration/cluster/loop_driver.h"

namespace weir {

// The jobmanager's side: takes everyone in.
class RememberingRegistrar final : public resources::TaskManagerRegistrar {
 public:
  absl::StatusOr<resources::Registration> Register(
      rpc::TaskManagerFacts facts, std::unique_ptr<resources::TaskManagerLink> link) override {
    if (!refusal.ok()) return refusal;
    order.push_back("registered");
    links[facts.id] = std::move(link);
    registered = std::move(facts);
    return resources::Registration{.epoch = epoch};
  }
  void OnReport(TaskManagerId id, rpc::TaskManagerReport report) override {
    reports[id].push_back(std::move(report));
  }
  void OnLost(TaskManagerId id, const absl::Status& cause) override {
    order.push_back("lost");
    lost.emplace_back(id, cause);
    links.erase(id);
  }

  uint64_t epoch = 5;
  absl::Status refusal;
  std::optional<rpc::TaskManagerFacts> registered;
  std::vector<std::string> order;
  std::map<TaskManagerId, std::unique_ptr<resources::TaskManagerLink>> links;
  std::map<TaskManagerId, std::vector<rpc::TaskManagerReport>> reports;
  std::vector<std::pair<TaskManagerId, absl::Status>> lost;
};

// Thread: the loop's.
class RememberingEvents final : public rpc::TaskEvents {
 public:
  struct End {
    checkpoint::Sender sender;
    absl::Status status;
  };
  void OnTaskRunning(const checkpoint::Sender& sender) override { running.push_back(sender); }
  void OnEndOfData(const checkpoint::Sender& sender) override { end_of_data.push_back(sender); }
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override {
    ended.push_back({sender, status});
  }
  void OnAck(checkpoint::AckFacts ack) override { acks.push_back(std::move(ack)); }
  void OnDecline(const checkpoint::DeclineFacts& decline) override { declines.push_back(decline); }

  std::vector<checkpoint::Sender> running;
  std::vector<checkpoint::Sender> end_of_data;
  std::vector<End> ended;
  std::vector<checkpoint::AckFacts> acks;
  std::vector<checkpoint::DeclineFacts> declines;
};

// The taskmanager's side: runs nothing.
class RememberingTasks final : public rpc::TaskGateway, public rpc::SinkPreparer {
 public:
  absl::Status Deploy(rpc::JobDeployment deployment) override {
    deployed.push_back(std::move(deployment));
    return deploy_answer;
  }
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override {
    triggered.emplace_back(attempt, barrier);
    return trigger_answer;
  }
  void NotifyComplete(AttemptId attempt, CheckpointId id) override {
    completed.emplace_back(attempt, id);
  }
  void NotifyAborted(AttemptId attempt, CheckpointId id) override {
    aborted.emplace_back(attempt, id);
  }
  void Cancel(AttemptId attempt) override { cancelled.push_back(attempt); }
  void Release(JobId job) override { released.push_back(job); }
  void Prepare(const rpc::JobDeployment& deployment, Done done) override {
    prepared.push_back(deployment);
    if (holds_preparations) {
      held.push_back(std::move(done));
    } else {
      done(prepare_answer);
    }
  }

  absl::Status deploy_answer;
  absl::Status trigger_answer;
  absl::StatusOr<rpc::SinkPreparation> prepare_answer =
      rpc::SinkPreparation{.highest_seen = CheckpointId{12}};
  bool holds_preparations = false;
  std::vector<Done> held;
  std::vector<rpc::JobDeployment> deployed;
  std::vector<rpc::JobDeployment> prepared;
  std::vector<std::pair<AttemptId, checkpoint::Barrier>> triggered;
  std::vector<std::pair<AttemptId, CheckpointId>> completed;
  std::vector<std::pair<AttemptId, CheckpointId>> aborted;
  std::vector<AttemptId> cancelled;
  std::vector<JobId> released;
};

// What both ends stand on.
struct Machine {
  fs::LocalFileSystem files;
  rpc::ControlLoop loop;
  base::ThreadPool io{"io", 2};
  LoopDriver driver{loop};
};

// A jobmanager as far as the wire goes. Destroying it is what a kill looks like from outside.
class JobManagerEnd {
 public:
  // `port` 0: a free one.
  JobManagerEnd(Machine& machine, server::RegistrationOptions options) {
    if (options.host.empty()) options.host = "127.0.0.1";
    if (options.build_version.empty()) options.build_version = "0.1.0";
    auto opened = server::RegistrationService::Open(
        std::move(options), {machine.loop, machine.io, machine.files, registrar, events});
    INFO(opened.status());
    REQUIRE(opened.ok());
    service = *std::move(opened);
  }
  ~JobManagerEnd() {
    service.reset();
    registrar.links.clear();
  }

  resources::TaskManagerLink& link(TaskManagerId id) { return *registrar.links.at(id); }

  RememberingRegistrar registrar;
  RememberingEvents events;
  std::unique_ptr<server::RegistrationService> service;
};

// A taskmanager as far as the wire goes.
class TaskManagerEnd {
 public:
  // `files` null: those of the machine.
  TaskManagerEnd(Machine& machine, const std::string& jobmanager, TaskManagerId id,
                 const std::string& build = "0.1.0", fs::FileSystem* files = nullptr)
      : client({.address = jobmanager,
                .backoff = {.initial = absl::Milliseconds(2), .max = absl::Milliseconds(20)},
                .refused_pause = absl::Milliseconds(20),
                .seed = 1},
               {machine.loop, machine.io, files == nullptr ? machine.files : *files}) {
    facts = {.id = id,
             .host = "here",
             .data_address = "127.0.0.1:6121",
             .http_address = "",
             .slots = 4,
             .pid = 4711,
             .build_version = build};
  }

  // Resumes at once unless `holds` is set.
  void Start() {
    client.Start(facts,
                 {.tasks = tasks,
                  .sinks = tasks,
                  .report = [this] { return report; },
                  .logs =
                      [this](const rpc::LogRequest& request) {
                        log_requests.push_back(request);
                        return log;
                      }},
                 [this](const absl::Status& cause) {
                   lost.push_back(cause);
                   if (!holds) client.Resume();
                 });
  }

  rpc::TaskManagerFacts facts;
  RememberingTasks tasks;
  rpc::TaskManagerReport report;
  std::vector<rpc::LogLine> log;
  std::vector<rpc::LogRequest> log_requests;
  std::vector<absl::Status> lost;
  bool holds = false;
  server::JobManagerClient client;
};

}  // namespace weir
