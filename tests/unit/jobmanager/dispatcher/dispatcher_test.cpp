// What must hold: a job can be found, looked at and ended; what people see is true, also
// afterwards; and its end is stored before anything of it goes.
#include "jobmanager/dispatcher/dispatcher.h"

#include <absl/strings/match.h>
#include <catch2/catch.hpp>

#include "tests/unit/jobmanager/dispatcher/dispatcher_world.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

constexpr char kCheckpointed[] =
    "{parallelism: 2, checkpointing: {interval: 1s}, restart: {strategy: fixed_delay, attempts: 1, "
    "delay: 1s}}";

absl::StatusOr<JobSummary> Cancel(DispatcherWorld& world, const std::string& reference) {
  std::optional<absl::StatusOr<JobSummary>> answer;
  world.dispatcher->Cancel(
      reference, [&answer](absl::StatusOr<JobSummary> given) { answer = std::move(given); });
  world.Settle();
  REQUIRE(answer.has_value());
  return *answer;
}

TEST_CASE("A cancelled job ends CANCELED once its tasks are gone", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  const auto answer = Cancel(world, "numbers");
  REQUIRE(answer.ok());
  CHECK(answer->state == JobState::kCancelling);
  CHECK(world.tasks.cancelled.size() == 4);
  world.Settle();
  CHECK(world.StateOf(id) == JobState::kCancelling);
  CHECK(world.results.List()->empty());
  world.EndCancelled(id);
  CHECK(world.StateOf(id) == JobState::kCanceled);
  const std::vector<coordination::EndedJob> ended = *world.results.List();
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].id == id);
  CHECK(ended[0].end == coordination::JobEnd::kCanceled);
  CHECK(ended[0].tasks == 4);
  CHECK(world.graphs.List()->empty());
  CHECK(world.tasks.released == std::vector<JobId>{id});
  CHECK(world.dispatcher->FindJob(id) == nullptr);
  CHECK(Cancel(world, "numbers")->state == JobState::kCanceled);
  CHECK(world.timers.armed_count() == 0);
}

TEST_CASE("A cancel is stored before it is answered", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  bool is_answered = false;
  world.dispatcher->Cancel("numbers", [&](const absl::StatusOr<JobSummary>& answer) {
    CHECK(answer.ok());
    CHECK(world.graphs.List()->front().is_cancelled);
    is_answered = true;
  });
  CHECK_FALSE(is_answered);
  CHECK(world.StateOf(id) == JobState::kRunning);
  world.Settle();
  CHECK(is_answered);
  CHECK(world.StateOf(id) == JobState::kCancelling);
}

TEST_CASE("A cancel that cannot be stored is refused, and the job runs on", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  world.graphs.fails = absl::ResourceExhaustedError("the disk is full");
  CHECK(Cancel(world, "numbers").status() == world.graphs.fails);
  CHECK(world.StateOf(id) == JobState::kRunning);
  CHECK(world.leadership_lost.empty());
  world.graphs.fails = absl::AbortedError("epoch 3 leads");
  CHECK(absl::IsAborted(Cancel(world, "numbers").status()));
  CHECK(world.leadership_lost.size() == 1);
  CHECK(world.tasks.cancelled.empty());
}

TEST_CASE("A job that comes to its end while its cancel is stored is not cancelled",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  std::optional<absl::Status> answer;
  world.dispatcher->Cancel(
      "numbers", [&answer](const absl::StatusOr<JobSummary>& given) { answer = given.status(); });
  for (const rpc::TaskDeployment& task : world.tasks.deployed.at(id).tasks) {
    world.events.OnTaskEnded({id, world.tasks.deployed.at(id).epoch, task.attempt},
                             absl::OkStatus());
  }
  while (world.loop.Drain() > 0) {
  }
  world.Settle();
  REQUIRE(answer.has_value());
  CHECK(absl::IsFailedPrecondition(*answer));
  CHECK(world.StateOf(id) == JobState::kFinished);
  CHECK(world.graphs.List()->empty());
}

TEST_CASE("A job that has ended otherwise cannot be cancelled", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.EndTasks(id, absl::OkStatus());
  CHECK(absl::IsFailedPrecondition(Cancel(world, "numbers").status()));
  CHECK(absl::IsNotFound(Cancel(world, "letters").status()));
}

TEST_CASE("A list has the newest first, and ended jobs when asked", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId a = world.MustSubmit(JobText("a"));
  world.clock.Advance(absl::Seconds(1));
  const JobId b = world.MustSubmit(JobText("b"));
  world.EndTasks(a, absl::OkStatus());
  const auto names = [&world](bool ended) {
    std::vector<std::string> list;
    for (const JobSummary& job : world.dispatcher->List(ended)) list.push_back(job.name);
    return list;
  };
  CHECK(names(false) == std::vector<std::string>{"b"});
  CHECK(names(true) == std::vector<std::string>{"b", "a"});
  CHECK(world.StateOf(b) == JobState::kRunning);
}

TEST_CASE("A summary tells how far a job is", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const absl::Time submitted = world.clock.WallNow();
  const JobId id = world.MustSubmit(JobText("numbers", kCheckpointed));
  world.clock.Advance(absl::Seconds(2));
  const rpc::JobDeployment deployment = world.tasks.deployed.at(id);
  const auto sender = [&](size_t i) {
    return checkpoint::Sender{id, deployment.epoch, deployment.tasks[i].attempt};
  };
  world.events.OnTaskRunning(sender(0));
  world.events.OnTaskRunning(sender(1));
  world.Settle();
  // Node 0 is the source, the last the sink.
  const uint32_t sink = static_cast<uint32_t>(deployment.plan->nodes.size() - 1);
  world.dispatcher->OnCounts(
      {{.job = id,
        .attempt = deployment.tasks[0].attempt,
        .operators = {{.node = 0, .rows_out = 7}, {.node = 9999, .rows_out = 1}}},
       {.job = id,
        .attempt = deployment.tasks[1].attempt,
        .operators = {{.node = 0, .rows_out = 5}, {.node = sink, .rows_out = 3}}},
       {.job = id, .attempt = AttemptId{1, 1}, .operators = {{.node = 0, .rows_out = 100}}}});
  const JobDetail detail = *world.dispatcher->Describe("numbers");
  CHECK(detail.description == "A test.");
  CHECK(detail.summary.id == id);
  CHECK(detail.summary.state == JobState::kRunning);
  CHECK(detail.summary.tasks == 4);
  CHECK(detail.summary.tasks_running == 2);
  CHECK(detail.summary.parallelism == 2);
  CHECK(detail.summary.submitted_at == submitted);
  CHECK(detail.summary.started_at == submitted);
  CHECK(detail.summary.ended_at == absl::InfiniteFuture());
  CHECK(detail.summary.rows_read == 12);
  CHECK(detail.summary.rows_written == 3);
  REQUIRE(detail.subtasks.size() == 4);
  CHECK(detail.subtasks[0].state == "RUNNING");
  CHECK(detail.subtasks[3].state == "DEPLOYING");
  CHECK(detail.steps.size() == deployment.plan->nodes.size());
  CHECK(detail.steps[0].id == "in");
  CHECK(detail.steps[0].counts.rows_out == 12);
}

TEST_CASE("A failed job shows its cause, and the last counters that came", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  const AttemptId attempt = world.tasks.deployed.at(id).tasks[0].attempt;
  world.cluster.counts = {
      {.job = id, .attempt = attempt, .operators = {{.node = 0, .rows_out = 42}}}};
  world.EndTasks(id, absl::InternalError("boom"));
  const JobDetail detail = *world.dispatcher->Describe("numbers");
  CHECK(detail.summary.state == JobState::kFailed);
  CHECK(detail.summary.cause == "boom");
  CHECK(detail.summary.tasks_failed == 4);
  CHECK(detail.summary.rows_read == 42);
  CHECK(detail.summary.ended_at == world.clock.WallNow());
  REQUIRE_FALSE(detail.failures.empty());
  CHECK(detail.failures[0].message == "boom");
  CHECK_FALSE(detail.failures[0].vertex.empty());
  CHECK(detail.subtasks.size() == 4);
  CHECK(world.results.List()->front().message == "boom");
  // A report that was under way.
  world.dispatcher->OnCounts(
      {{.job = id, .attempt = attempt, .operators = {{.node = 0, .rows_out = 43}}}});
  CHECK(world.dispatcher->Describe("numbers")->summary.rows_read == 43);
}

TEST_CASE("A restarting job shows why, and counts anew", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers", kCheckpointed));
  world.RunTasks(id);
  world.dispatcher->OnCounts({{.job = id,
                               .attempt = world.tasks.deployed.at(id).tasks[0].attempt,
                               .operators = {{.node = 0, .rows_out = 42}}}});
  world.EndTasks(id, absl::InternalError("boom"));
  JobSummary summary = world.dispatcher->Describe("numbers")->summary;
  CHECK(summary.state == JobState::kRestarting);
  CHECK(summary.cause == "boom");
  CHECK(summary.restarts == 1);
  world.timers.AdvanceBy(absl::Seconds(1));
  world.Settle();
  summary = world.dispatcher->Describe("numbers")->summary;
  CHECK(summary.state == JobState::kRunning);
  CHECK(summary.cause.empty());
  CHECK(summary.rows_read == 0);
  CHECK(world.results.List()->empty());
}

TEST_CASE("A checkpoint asked for is answered when it is complete", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers", kCheckpointed));
  world.RunTasks(id);
  std::optional<absl::StatusOr<CheckpointId>> answer;
  const auto done = [&answer](absl::StatusOr<CheckpointId> given) { answer = std::move(given); };
  world.dispatcher->TriggerCheckpoint("numbers", done);
  world.Settle();
  CHECK_FALSE(answer.has_value());
  REQUIRE_FALSE(world.tasks.triggered.empty());
  const rpc::JobDeployment deployment = world.tasks.deployed.at(id);
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    checkpoint::AckFacts ack;
    ack.sender = {id, deployment.epoch, task.attempt};
    ack.id = world.tasks.triggered.front();
    world.events.OnAck(std::move(ack));
  }
  world.Settle();
  REQUIRE(answer.has_value());
  REQUIRE(answer->ok());
  CHECK(**answer == world.tasks.triggered.front());
  const auto checkpoints = *world.dispatcher->Checkpoints("numbers");
  REQUIRE(checkpoints.size() == 1);
  CHECK(checkpoints[0].status == checkpoint::CheckpointStatus::kCompleted);
  CHECK(world.dispatcher->Describe("numbers")->summary.completed == **answer);

  answer.reset();
  world.dispatcher->TriggerCheckpoint("numbers", done);
  world.Settle();
  world.EndTasks(id, absl::OkStatus());
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->ok());
  answer.reset();
  world.dispatcher->TriggerCheckpoint("numbers", done);
  REQUIRE(answer.has_value());
  CHECK(absl::IsFailedPrecondition(answer->status()));
  CHECK(world.dispatcher->Checkpoints("numbers")->size() == 2);
}

TEST_CASE("Only so many ended jobs are remembered, the newest", "[dispatcher][unit]") {
  DispatcherWorld world;
  world.options.ended_jobs_max = 2;
  world.Begin();
  REQUIRE(world.Start().ok());
  for (const char* name : {"a", "b", "c"}) {
    const JobId id = world.MustSubmit(JobText(name));
    world.clock.Advance(absl::Seconds(1));
    world.EndTasks(id, absl::OkStatus());
  }
  CHECK(world.dispatcher->List(/*ended=*/true).size() == 2);
  CHECK(absl::IsNotFound(world.dispatcher->Describe("a").status()));
  CHECK(world.dispatcher->Describe("c").ok());
  const std::vector<coordination::EndedJob> ended = *world.results.List();
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].name == "b");
}

TEST_CASE("Suspended jobs are not among those that are forgotten", "[dispatcher][unit]") {
  DispatcherWorld world;
  world.options.ended_jobs_max = 0;
  world.Begin();
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  world.Stop();
  CHECK(world.StateOf(id) == JobState::kSuspended);
  CHECK(world.graphs.List()->size() == 1);
}

TEST_CASE("A result that cannot be stored keeps what the job needs to run again",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.results.fails = absl::AbortedError("epoch 3 leads");
  world.EndTasks(id, absl::OkStatus());
  CHECK(world.graphs.List()->size() == 1);
  CHECK(world.leadership_lost.size() == 1);
  CHECK(world.StateOf(id) == JobState::kFinished);
}

TEST_CASE("Logs of a job are those of all daemons about it, by time", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  const absl::Time t = world.clock.WallNow();
  const TaskManagerId one{0x1111111100000000, 1};
  const TaskManagerId two{0x1111222200000000, 2};
  for (const TaskManagerId taskmanager : {one, two}) {
    world.cluster.taskmanagers.push_back({.facts = {.id = taskmanager}});
  }
  world.cluster.own = {{.at = t, .text = "submitted"},
                       {.at = t + absl::Seconds(2), .text = "running"}};
  world.cluster.logs[one] = {{.at = t + absl::Seconds(1), .text = "deployed"}};
  std::optional<absl::StatusOr<std::vector<rpc::LogLine>>> answer;
  const auto ask = [&](const LogQuery& query) {
    answer.reset();
    world.cluster.asked.clear();
    world.dispatcher->Logs(query, [&answer](absl::StatusOr<std::vector<rpc::LogLine>> lines) {
      answer = std::move(lines);
    });
    REQUIRE(answer.has_value());
    std::vector<std::string> texts;
    if (answer->ok()) {
      for (const rpc::LogLine& line : **answer) texts.push_back(line.text);
    }
    return texts;
  };
  CHECK(ask({.job = "numbers"}) ==
        std::vector<std::string>{"jobmanager: submitted",
                                 "taskmanager 11112222: its log cannot be read: it is lost",
                                 "taskmanager 11111111: deployed", "jobmanager: running"});
  CHECK(world.cluster.asked.size() == 3);
  for (const rpc::LogRequest& request : world.cluster.asked) {
    CHECK(request.contains == id.ToString());
  }
  CHECK(ask({.job = "numbers", .lines_max = 1}) == std::vector<std::string>{"jobmanager: running"});
  CHECK(ask({}) == std::vector<std::string>{"submitted", "running"});
  CHECK(ask({.taskmanager = "11111111"}) == std::vector<std::string>{"deployed"});
  CHECK(ask({.taskmanager = "1111"}).empty());
  CHECK(absl::IsInvalidArgument(answer->status()));
  CHECK(ask({.job = "letters"}).empty());
  CHECK(absl::IsNotFound(answer->status()));
}

TEST_CASE("A stopping jobmanager without storage cancels its jobs", "[dispatcher][unit]") {
  DispatcherWorld world;
  world.options.on_stop = OnStop::kCancel;
  world.Begin();
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  world.Stop();
  CHECK(world.StateOf(id) == JobState::kCanceled);
  CHECK(world.graphs.List()->empty());
}

TEST_CASE("Events of strange jobs are dropped", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  world.events.OnTaskEnded({JobId{8, 8}, 1, AttemptId{1, 1}}, absl::InternalError("who?"));
  world.events.OnAck({.sender = {JobId{8, 8}, 1, AttemptId{1, 1}}});
  world.Settle();
  CHECK(world.dispatcher->List(true).empty());
}

}  // namespace
}  // namespace weir::dispatcher
