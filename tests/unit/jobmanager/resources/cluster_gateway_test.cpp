// What must hold: every taskmanager gets its own part and nobody else's state, calls find the way
// to an attempt, and every attempt ends exactly once, also if its taskmanager is lost.
#include "jobmanager/resources/cluster_gateway.h"

#include <catch2/catch.hpp>

#include "common/testing/manual_clock.h"
#include "tests/unit/jobmanager/resources/recording_link.h"

namespace weir::resources {
namespace {

class Events final : public rpc::TaskEvents {
 public:
  void OnTaskRunning(const checkpoint::Sender& sender) override { Note("running", sender); }
  void OnEndOfData(const checkpoint::Sender& sender) override { Note("end of data", sender); }
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override {
    heard.push_back(absl::StrCat("ended ", sender.attempt.low, ": ", status.ToString()));
    epochs.push_back(sender.epoch);
  }
  void OnAck(checkpoint::AckFacts ack) override { Note("ack", ack.sender); }
  void OnDecline(const checkpoint::DeclineFacts& decline) override {
    Note("decline", decline.sender);
  }

  std::vector<std::string> heard;
  std::vector<uint64_t> epochs;

 private:
  void Note(const char* what, const checkpoint::Sender& sender) {
    heard.push_back(absl::StrCat(what, " ", sender.attempt.low));
  }
};

constexpr JobId kJob{3, 3};

AttemptId AttemptOf(uint64_t number) {
  return {1, number};
}

checkpoint::Sender SenderOf(uint64_t attempt) {
  return {kJob, 5, AttemptOf(attempt)};
}

std::shared_ptr<const graph::Plan> PlanOf() {
  graph::Plan plan;
  plan.nodes.push_back({.id = "in", .uid = "in"});
  plan.nodes.push_back({.id = "out", .uid = "out", .spec = graph::SinkSpec{}});
  return std::make_shared<const graph::Plan>(std::move(plan));
}

rpc::TaskDeployment TaskOf(uint64_t attempt, uint64_t taskmanager) {
  rpc::TaskDeployment task{.attempt = AttemptOf(attempt),
                           .subtask = static_cast<uint32_t>(attempt),
                           .taskmanager = IdOf(taskmanager)};
  task.states["in"];
  task.states["out"];
  return task;
}

// Attempts 1 and 3 on taskmanager 1, attempt 2 on taskmanager 2.
rpc::JobDeployment DeploymentOf() {
  rpc::JobDeployment deployment{.job = kJob, .epoch = 5, .generation = 9, .plan = PlanOf()};
  deployment.tasks = {TaskOf(1, 1), TaskOf(2, 2), TaskOf(3, 1)};
  deployment.data_addresses = {{IdOf(1), "a"}, {IdOf(2), "b"}};
  return deployment;
}

struct Fixture {
  testing::ManualClock clock;
  Events events;
  LinkRecord one;
  LinkRecord two;
  LinkRecord three;
  TaskManagerRegistry registry{clock};
  ClusterGateway gateway{registry, events};

  Fixture() {
    registry.AddListener(gateway);
    registry.Lead(5);
    REQUIRE(Register(registry, 1, 2, one).ok());
    REQUIRE(Register(registry, 2, 2, two).ok());
  }
  void Lose(uint64_t number) { registry.OnLost(IdOf(number), absl::UnavailableError("reset")); }
};

TEST_CASE("A deployment is split by taskmanager", "[resources][unit]") {
  Fixture f;
  CHECK(f.gateway.Deploy(DeploymentOf()).ok());
  REQUIRE(f.one.deployments.size() == 1);
  REQUIRE(f.two.deployments.size() == 1);
  const rpc::JobDeployment& part = f.one.deployments[0];
  CHECK(part.generation == 9);
  CHECK(part.data_addresses.size() == 2);
  REQUIRE(part.tasks.size() == 3);
  CHECK(part.tasks[0].states.size() == 2);
  CHECK(part.tasks[1].states.empty());
  CHECK(part.tasks[1].attempt == AttemptOf(2));
  CHECK(part.tasks[1].taskmanager == IdOf(2));
  CHECK(part.tasks[2].states.size() == 2);
  CHECK(f.two.deployments[0].tasks[0].states.empty());
  CHECK(f.two.deployments[0].tasks[1].states.size() == 2);
}

TEST_CASE("Calls go to the taskmanager of the attempt", "[resources][unit]") {
  Fixture f;
  REQUIRE(f.gateway.Deploy(DeploymentOf()).ok());
  CHECK(f.gateway.Trigger(AttemptOf(1), {}).ok());
  f.gateway.NotifyComplete(AttemptOf(2), CheckpointId{1});
  f.gateway.NotifyAborted(AttemptOf(2), CheckpointId{1});
  f.gateway.Cancel(AttemptOf(3));
  CHECK(f.one.calls == std::vector<std::string>{"trigger 1", "cancel 3"});
  CHECK(f.two.calls == std::vector<std::string>{"complete 2", "aborted 2"});
  CHECK(absl::IsNotFound(f.gateway.Trigger(AttemptOf(4), {})));
  f.gateway.Cancel(AttemptOf(4));
}

TEST_CASE("Events pass, an attempt's end once", "[resources][unit]") {
  Fixture f;
  REQUIRE(f.gateway.Deploy(DeploymentOf()).ok());
  f.gateway.OnTaskRunning(SenderOf(1));
  f.gateway.OnEndOfData(SenderOf(1));
  f.gateway.OnAck({.sender = SenderOf(2)});
  f.gateway.OnDecline({.sender = SenderOf(2)});
  f.gateway.OnTaskEnded(SenderOf(1), absl::OkStatus());
  f.gateway.OnTaskEnded(SenderOf(1), absl::InternalError("again"));
  CHECK(f.events.heard == std::vector<std::string>{"running 1", "end of data 1", "ack 2",
                                                   "decline 2", "ended 1: OK"});
  CHECK(absl::IsNotFound(f.gateway.Trigger(AttemptOf(1), {})));
}

TEST_CASE("The attempts of a lost taskmanager end with it", "[resources][unit]") {
  Fixture f;
  REQUIRE(f.gateway.Deploy(DeploymentOf()).ok());
  f.gateway.OnTaskEnded(SenderOf(3), absl::OkStatus());
  f.events.heard.clear();
  f.Lose(1);
  CHECK(f.events.heard ==
        std::vector<std::string>{
            "ended 1: UNAVAILABLE: taskmanager 00000001 on host-1 was lost: reset"});
  CHECK(f.events.epochs.back() == 5);
  f.gateway.Cancel(AttemptOf(1));  // it has ended
  f.gateway.OnTaskEnded(SenderOf(1), absl::CancelledError("late"));
  CHECK(f.events.heard.size() == 1);
}

TEST_CASE("What is deployed to a taskmanager that is gone ends at once", "[resources][unit]") {
  Fixture f;
  f.Lose(2);
  CHECK(f.gateway.Deploy(DeploymentOf()).ok());
  CHECK(f.events.heard ==
        std::vector<std::string>{
            "ended 2: UNAVAILABLE: taskmanager 00000002 was lost before the deployment"});
  CHECK(f.one.deployments.size() == 1);
}

TEST_CASE("A refused deployment ends the attempts it was for", "[resources][unit]") {
  Fixture f;
  f.one.deploys = absl::ResourceExhaustedError("too large");
  CHECK(f.gateway.Deploy(DeploymentOf()).ok());
  CHECK(f.events.heard == std::vector<std::string>{"ended 1: RESOURCE_EXHAUSTED: too large",
                                                   "ended 3: RESOURCE_EXHAUSTED: too large"});
  CHECK(f.two.deployments.size() == 1);
}

TEST_CASE("One taskmanager settles all sinks, and stays the one", "[resources][unit]") {
  Fixture f;
  std::vector<absl::Status> done;
  const auto note = [&done](absl::StatusOr<rpc::SinkPreparation> prepared) {
    done.push_back(prepared.status());
  };
  f.gateway.Prepare(DeploymentOf(), note);
  REQUIRE(f.one.preparations.size() == 1);
  for (const rpc::TaskDeployment& task : f.one.preparations[0].tasks) {
    CHECK(task.taskmanager == IdOf(1));  // all of it is for this one
    CHECK(task.states.size() == 1);
    CHECK(task.states.contains("out"));
  }
  f.one.owed[0](rpc::SinkPreparation{});
  rpc::JobDeployment elsewhere = DeploymentOf();
  elsewhere.tasks = {TaskOf(4, 2)};
  f.gateway.Prepare(elsewhere, note);
  CHECK(f.one.preparations.size() == 2);
  CHECK(f.two.preparations.empty());
  f.Lose(1);
  f.gateway.Prepare(elsewhere, note);
  CHECK(f.two.preparations.size() == 1);
  f.Lose(2);
  f.gateway.Prepare(elsewhere, note);
  REQUIRE(done.size() == 2);
  CHECK(done[0].ok());
  CHECK(absl::IsUnavailable(done[1]));
}

TEST_CASE("A taskmanager that settles the sinks may run nothing of the job", "[resources][unit]") {
  Fixture f;
  const auto ignore = [](absl::StatusOr<rpc::SinkPreparation>) {};
  f.gateway.Prepare(DeploymentOf(), ignore);
  // The next execution runs elsewhere; the wire wants the address of whoever is named in it.
  rpc::JobDeployment elsewhere = DeploymentOf();
  elsewhere.tasks = {TaskOf(4, 2)};
  elsewhere.data_addresses = {{IdOf(2), "b"}};
  f.gateway.Prepare(elsewhere, ignore);
  REQUIRE(f.one.preparations.size() == 2);
  const rpc::JobDeployment& preparation = f.one.preparations[1];
  CHECK(preparation.tasks[0].taskmanager == IdOf(1));
  CHECK(preparation.data_addresses ==
        std::map<TaskManagerId, std::string>{{IdOf(1), FactsOf(1, 2).data_address}});
}

TEST_CASE("Who holds something of a job is released with it", "[resources][unit]") {
  Fixture f;
  REQUIRE(Register(f.registry, 3, 2, f.three).ok());
  f.gateway.Prepare(DeploymentOf(), [](absl::StatusOr<rpc::SinkPreparation>) {});
  REQUIRE(f.gateway.Deploy(DeploymentOf()).ok());
  // The next execution is elsewhere: 2 has nothing of it, 1 still holds the sinks' places.
  rpc::JobDeployment next = DeploymentOf();
  next.tasks = {TaskOf(4, 3)};
  REQUIRE(f.gateway.Deploy(next).ok());
  CHECK(f.one.calls.empty());
  CHECK(f.two.calls == std::vector<std::string>{"release 3"});
  f.gateway.Release(kJob);
  CHECK(f.one.calls == std::vector<std::string>{"release 3"});
  CHECK(f.two.calls.size() == 1);
  CHECK(f.three.calls == std::vector<std::string>{"release 3"});
  f.gateway.Release(kJob);
  CHECK(f.three.calls.size() == 1);
}

}  // namespace
}  // namespace weir::resources
