// What must hold: what a jobmanager says to the tasks of a job arrives at its taskmanager, what
// they answer comes back in order, and a refusal comes as the event it stands for.
#include <utility>

#include <absl/strings/match.h>
#include <catch2/catch.hpp>

#include "common/base/thread.h"
#include "common/rpc/channel_lost.h"
#include "common/rpc/protocol.h"
#include "tests/integration/cluster/cluster_ends.h"
#include "tests/unit/common/rpc/sample_job.h"

namespace weir {
namespace {

constexpr TaskManagerId kId = rpc::kFirstTaskManager;

// One taskmanager, registered.
struct Cluster {
  Cluster() : jobmanager(machine, {}), taskmanager(machine, jobmanager.service->address(), kId) {
    taskmanager.Start();
    REQUIRE(RunUntil([this] { return taskmanager.client.IsRegistered(); }));
  }
  bool RunUntil(const std::function<bool()>& condition) {
    return machine.driver.RunUntil(condition);
  }
  resources::TaskManagerLink& link() { return jobmanager.link(kId); }
  // The first task of the sample that runs here.
  rpc::TaskDeployment Deploy() {
    REQUIRE(link().Deploy(deployment).ok());
    REQUIRE(RunUntil([this] { return !taskmanager.tasks.deployed.empty(); }));
    return deployment.tasks[0];
  }
  checkpoint::Sender SenderOf(const rpc::TaskDeployment& task) const {
    return {deployment.job, deployment.epoch, task.attempt};
  }

  Machine machine;
  JobManagerEnd jobmanager;
  TaskManagerEnd taskmanager;
  rpc::JobDeployment deployment = rpc::SampleDeployment(/*epoch=*/5);
};

checkpoint::Barrier BarrierOf(int64_t id) {
  checkpoint::Barrier barrier;
  barrier.id = CheckpointId{id};
  barrier.triggered_at = absl::FromUnixMicros(1'700'000'000'000'000);
  barrier.options.location = "/checkpoints/chk";
  return barrier;
}

TEST_CASE("A deployment arrives with its plan", "[server][integration][threads]") {
  Cluster cluster;
  cluster.Deploy();
  const rpc::JobDeployment& arrived = cluster.taskmanager.tasks.deployed[0];
  CHECK(arrived.job == cluster.deployment.job);
  CHECK(arrived.plan->name == "count");
  CHECK(arrived.tasks.size() == cluster.deployment.tasks.size());
  CHECK(arrived.tasks[0].states == cluster.deployment.tasks[0].states);
  CHECK(arrived.tasks[1].states.empty());
  CHECK(cluster.jobmanager.events.ended.empty());
}

TEST_CASE("A refused deployment is the end of the attempts that were to run there",
          "[server][integration][threads]") {
  Cluster cluster;
  cluster.taskmanager.tasks.deploy_answer = absl::ResourceExhaustedError("no memory");
  REQUIRE(cluster.link().Deploy(cluster.deployment).ok());
  REQUIRE(cluster.RunUntil([&] { return cluster.jobmanager.events.ended.size() >= 2; }));
  const auto& ended = cluster.jobmanager.events.ended;
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].sender.attempt == cluster.deployment.tasks[0].attempt);
  CHECK(ended[1].sender.attempt == cluster.deployment.tasks[2].attempt);
  for (const auto& end : ended) {
    CHECK(end.sender.job == cluster.deployment.job);
    CHECK(end.sender.epoch == 5);
    CHECK(end.status == absl::ResourceExhaustedError("no memory"));
  }
}

TEST_CASE("A deployment whose text is planned otherwise is refused with the reason",
          "[server][integration][threads]") {
  Cluster cluster;
  cluster.deployment.source.text = "weir: 1\nname: x\n";
  REQUIRE(cluster.link().Deploy(cluster.deployment).ok());
  REQUIRE(cluster.RunUntil([&] { return cluster.jobmanager.events.ended.size() == 2; }));
  CHECK(absl::IsFailedPrecondition(cluster.jobmanager.events.ended[0].status));
  CHECK(cluster.taskmanager.tasks.deployed.empty());
}

TEST_CASE("A deployment of an epoch that is over is refused", "[server][integration][threads]") {
  Cluster cluster;
  cluster.deployment.epoch = 4;
  REQUIRE(cluster.link().Deploy(cluster.deployment).ok());
  REQUIRE(cluster.RunUntil([&] { return cluster.jobmanager.events.ended.size() == 2; }));
  CHECK(absl::IsAborted(cluster.jobmanager.events.ended[0].status));
  CHECK(cluster.taskmanager.tasks.deployed.empty());
}

TEST_CASE("A deployment that is too large to be sent is refused in the call",
          "[server][integration][threads]") {
  Cluster cluster;
  auto& state = cluster.deployment.tasks[0].states.begin()->second;
  state.operator_managed[0].lists.clear();
  state.operator_managed[0].stream = {"", std::string(rpc::kPayloadBytesMax, 'x'),
                                      rpc::kPayloadBytesMax};
  const absl::Status refused = cluster.link().Deploy(cluster.deployment);
  CHECK(absl::IsResourceExhausted(refused));
  CHECK(absl::StrContains(refused.message(), "inline_threshold"));
}

TEST_CASE("What tasks report on their threads arrives in order", "[server][integration][threads]") {
  Cluster cluster;
  const checkpoint::Sender sender = cluster.SenderOf(cluster.Deploy());
  const absl::Status failure = rpc::MarkChannelLost(absl::UnavailableError("peer gone"));
  {
    base::Thread task("task", [&] {
      rpc::TaskEvents& events = cluster.taskmanager.client;
      events.OnTaskRunning(sender);
      for (int64_t id = 1; id <= 100; ++id) {
        checkpoint::AckFacts ack;
        ack.sender = sender;
        ack.id = CheckpointId{id};
        ack.states["counts"] = checkpoint::SampleSubtask(0, 2).state;
        events.OnAck(std::move(ack));
      }
      events.OnEndOfData(sender);
      events.OnTaskEnded(sender, failure);
    });
  }
  RememberingEvents& events = cluster.jobmanager.events;
  REQUIRE(cluster.RunUntil([&] { return !events.ended.empty(); }));
  REQUIRE(events.running.size() == 1);
  CHECK(events.running[0].job == sender.job);
  CHECK(events.running[0].epoch == sender.epoch);
  CHECK(events.running[0].attempt == sender.attempt);
  REQUIRE(events.acks.size() == 100);
  for (size_t i = 0; i < events.acks.size(); ++i) {
    CHECK(ToInt(events.acks[i].id) == static_cast<int64_t>(i) + 1);
  }
  CHECK(events.acks[0].states.at("counts") == checkpoint::SampleSubtask(0, 2).state);
  CHECK(events.end_of_data.size() == 1);
  CHECK(events.ended[0].status == failure);
}

TEST_CASE("A trigger and the notifications arrive in order", "[server][integration][threads]") {
  Cluster cluster;
  const AttemptId attempt = cluster.Deploy().attempt;
  REQUIRE(cluster.link().Trigger(attempt, BarrierOf(42)).ok());
  cluster.link().NotifyAborted(attempt, CheckpointId{42});
  cluster.link().NotifyComplete(attempt, CheckpointId{43});
  cluster.link().Cancel(attempt);
  const RememberingTasks& tasks = cluster.taskmanager.tasks;
  REQUIRE(cluster.RunUntil([&] { return !tasks.cancelled.empty(); }));
  REQUIRE(tasks.triggered.size() == 1);
  CHECK(tasks.triggered[0].first == attempt);
  CHECK(tasks.triggered[0].second == BarrierOf(42));
  CHECK(tasks.aborted ==
        std::vector<std::pair<AttemptId, CheckpointId>>{{attempt, CheckpointId{42}}});
  CHECK(tasks.completed ==
        std::vector<std::pair<AttemptId, CheckpointId>>{{attempt, CheckpointId{43}}});
  CHECK(tasks.cancelled == std::vector<AttemptId>{attempt});
  CHECK(cluster.jobmanager.events.declines.empty());
}

TEST_CASE("A trigger that is refused is a decline", "[server][integration][threads]") {
  Cluster cluster;
  const rpc::TaskDeployment task = cluster.Deploy();
  cluster.taskmanager.tasks.trigger_answer = absl::NotFoundError("it has ended");
  REQUIRE(cluster.link().Trigger(task.attempt, BarrierOf(42)).ok());
  REQUIRE(cluster.RunUntil([&] { return !cluster.jobmanager.events.declines.empty(); }));
  const checkpoint::DeclineFacts& decline = cluster.jobmanager.events.declines[0];
  CHECK(decline.sender.attempt == task.attempt);
  CHECK(decline.sender.epoch == 5);
  CHECK(decline.id == CheckpointId{42});
  CHECK(decline.reason == checkpoint::FailureReason::kTaskFinished);
  CHECK(decline.cause == absl::NotFoundError("it has ended"));
}

TEST_CASE("An attempt that is not of a taskmanager is not called there",
          "[server][integration][threads]") {
  Cluster cluster;
  cluster.Deploy();
  const AttemptId elsewhere = cluster.deployment.tasks[1].attempt;
  CHECK(absl::IsNotFound(cluster.link().Trigger(elsewhere, BarrierOf(42))));
  cluster.link().Cancel(elsewhere);
  cluster.link().Cancel(cluster.deployment.tasks[0].attempt);
  REQUIRE(cluster.RunUntil([&] { return !cluster.taskmanager.tasks.cancelled.empty(); }));
  CHECK(cluster.taskmanager.tasks.cancelled ==
        std::vector<AttemptId>{cluster.deployment.tasks[0].attempt});
}

TEST_CASE("A decline arrives", "[server][integration][threads]") {
  Cluster cluster;
  const checkpoint::Sender sender = cluster.SenderOf(cluster.Deploy());
  cluster.taskmanager.client.OnDecline({.sender = sender,
                                        .id = CheckpointId{8},
                                        .reason = checkpoint::FailureReason::kAsyncFailure,
                                        .cause = absl::UnavailableError("disk")});
  REQUIRE(cluster.RunUntil([&] { return !cluster.jobmanager.events.declines.empty(); }));
  CHECK(cluster.jobmanager.events.declines[0].reason == checkpoint::FailureReason::kAsyncFailure);
  CHECK(cluster.jobmanager.events.declines[0].cause == absl::UnavailableError("disk"));
}

TEST_CASE("An acknowledgement too large to be sent becomes a decline",
          "[server][integration][threads]") {
  Cluster cluster;
  checkpoint::AckFacts ack;
  ack.sender = cluster.SenderOf(cluster.Deploy());
  ack.id = CheckpointId{8};
  state::OperatorStateHandle large;
  large.stream = {"", std::string(rpc::kPayloadBytesMax, 'x'), rpc::kPayloadBytesMax};
  ack.states["counts"].operator_managed = {large};
  cluster.taskmanager.client.OnAck(std::move(ack));
  REQUIRE(cluster.RunUntil([&] { return !cluster.jobmanager.events.declines.empty(); }));
  CHECK(absl::IsResourceExhausted(cluster.jobmanager.events.declines[0].cause));
  CHECK(cluster.jobmanager.events.acks.empty());
}

TEST_CASE("A report that cannot be read ends the connection", "[server][integration][threads]") {
  Cluster cluster;
  checkpoint::AckFacts ack;
  ack.sender = cluster.SenderOf(cluster.Deploy());
  ack.id = CheckpointId{0};
  cluster.taskmanager.client.OnAck(std::move(ack));
  REQUIRE(cluster.RunUntil([&] { return !cluster.taskmanager.lost.empty(); }));
  CHECK(absl::IsInvalidArgument(cluster.taskmanager.lost[0]));
  CHECK(cluster.RunUntil([&] { return cluster.taskmanager.client.IsRegistered(); }));
  CHECK(cluster.jobmanager.registrar.order ==
        std::vector<std::string>{"registered", "lost", "registered"});
}

TEST_CASE("Sinks are prepared with the list state of all tasks", "[server][integration][threads]") {
  Cluster cluster;
  absl::StatusOr<rpc::SinkPreparation> prepared = absl::UnknownError("none yet");
  cluster.link().Prepare(cluster.deployment, [&](absl::StatusOr<rpc::SinkPreparation> result) {
    prepared = std::move(result);
  });
  CHECK(absl::IsUnknown(prepared.status()));
  REQUIRE(cluster.RunUntil([&] { return !absl::IsUnknown(prepared.status()); }));
  REQUIRE(prepared.ok());
  CHECK(prepared->highest_seen == CheckpointId{12});
  REQUIRE(cluster.taskmanager.tasks.prepared.size() == 1);
  CHECK_FALSE(cluster.taskmanager.tasks.prepared[0].tasks[1].states.empty());
}

TEST_CASE("A refused preparation says why", "[server][integration][threads]") {
  Cluster cluster;
  cluster.taskmanager.tasks.prepare_answer = absl::FailedPreconditionError("out is not ours");
  absl::Status refused;
  cluster.link().Prepare(cluster.deployment, [&](absl::StatusOr<rpc::SinkPreparation> result) {
    refused = result.status();
  });
  REQUIRE(cluster.RunUntil([&] { return !refused.ok(); }));
  CHECK(refused == absl::FailedPreconditionError("out is not ours"));
}

TEST_CASE("A preparation under way is answered when the taskmanager is lost",
          "[server][integration][threads]") {
  Cluster cluster;
  cluster.taskmanager.tasks.holds_preparations = true;
  absl::Status failed;
  cluster.link().Prepare(cluster.deployment, [&](absl::StatusOr<rpc::SinkPreparation> result) {
    failed = result.status();
  });
  REQUIRE(cluster.RunUntil([&] { return !cluster.taskmanager.tasks.held.empty(); }));
  cluster.taskmanager.client.Stop();
  REQUIRE(cluster.RunUntil([&] { return !failed.ok(); }));
  CHECK(absl::IsUnavailable(failed));
  CHECK(cluster.RunUntil([&] { return !cluster.jobmanager.registrar.lost.empty(); }));
  cluster.taskmanager.tasks.held[0](rpc::SinkPreparation{});  // late: nobody listens
}

TEST_CASE("A link that is destroyed answers what it owes", "[server][integration][threads]") {
  Cluster cluster;
  cluster.taskmanager.tasks.holds_preparations = true;
  absl::Status failed;
  cluster.link().Prepare(cluster.deployment, [&](absl::StatusOr<rpc::SinkPreparation> result) {
    failed = result.status();
  });
  cluster.jobmanager.registrar.links.clear();
  CHECK(failed.ok());
  REQUIRE(cluster.RunUntil([&] { return !failed.ok(); }));
  CHECK(absl::IsUnavailable(failed));
  CHECK(cluster.RunUntil([&] { return !cluster.taskmanager.lost.empty(); }));
  CHECK(cluster.jobmanager.registrar.lost.empty());
}

TEST_CASE("A released job leaves with a last report", "[server][integration][threads]") {
  Cluster cluster;
  cluster.Deploy();
  auto& reports = cluster.jobmanager.registrar.reports[kId];
  cluster.taskmanager.report.resident_bytes = 777;
  cluster.link().Release(cluster.deployment.job);
  REQUIRE(cluster.RunUntil([&] { return !cluster.taskmanager.tasks.released.empty(); }));
  CHECK(cluster.taskmanager.tasks.released == std::vector<JobId>{cluster.deployment.job});
  REQUIRE(
      cluster.RunUntil([&] { return !reports.empty() && reports.back().resident_bytes == 777; }));
  CHECK(
      absl::IsNotFound(cluster.link().Trigger(cluster.deployment.tasks[0].attempt, BarrierOf(42))));
}

TEST_CASE("A log is read from its taskmanager", "[server][integration][threads]") {
  Cluster cluster;
  cluster.taskmanager.log = {{.at = absl::FromUnixMicros(1), .level = 'I', .text = "old"},
                             {.at = absl::FromUnixMicros(2), .level = 'W', .text = "newer"},
                             {.at = absl::FromUnixMicros(3), .level = 'E', .text = "newest"}};
  absl::StatusOr<std::vector<rpc::LogLine>> lines = absl::UnknownError("none yet");
  cluster.link().ReadLogs(
      {.contains = "job", .lines_max = 2},
      [&](absl::StatusOr<std::vector<rpc::LogLine>> read) { lines = std::move(read); });
  REQUIRE(cluster.RunUntil([&] { return !absl::IsUnknown(lines.status()); }));
  REQUIRE(lines.ok());
  REQUIRE(lines->size() == 2);
  CHECK((*lines)[0].text == "newer");
  CHECK((*lines)[1].level == 'E');
  CHECK(cluster.taskmanager.log_requests[0].contains == "job");
}

TEST_CASE("Calls to a lost taskmanager fail in the call", "[server][integration][threads]") {
  Cluster cluster;
  const AttemptId attempt = cluster.Deploy().attempt;
  // Keeps the link past the loss, as a caller inside OnLost() would see it.
  auto link = std::move(cluster.jobmanager.registrar.links[kId]);
  cluster.taskmanager.client.Stop();
  REQUIRE(cluster.RunUntil([&] { return !cluster.jobmanager.registrar.lost.empty(); }));
  CHECK(absl::IsUnavailable(link->Deploy(cluster.deployment)));
  CHECK(absl::IsUnavailable(link->Trigger(attempt, BarrierOf(1))));
  absl::Status failed;
  link->Prepare(cluster.deployment,
                [&](absl::StatusOr<rpc::SinkPreparation> result) { failed = result.status(); });
  link->NotifyComplete(attempt, CheckpointId{1});
  link->Cancel(attempt);
  link->Release(cluster.deployment.job);
  REQUIRE(cluster.RunUntil([&] { return !failed.ok(); }));
  CHECK(absl::IsUnavailable(failed));
  CHECK(cluster.jobmanager.events.ended.empty());
  CHECK(cluster.jobmanager.registrar.lost.size() == 1);
}

}  // namespace
}  // namespace weir
