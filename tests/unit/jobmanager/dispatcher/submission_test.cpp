// What must hold: a job is stored before it is answered for, one name runs once, one request makes
// one job, and what is refused leaves nothing behind.
#include <absl/strings/match.h>
#include <catch2/catch.hpp>

#include "tests/unit/jobmanager/dispatcher/dispatcher_world.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

TEST_CASE("A submitted job is stored, answered for and deployed", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const auto answer = world.Submit(JobText("numbers"));
  REQUIRE(answer.has_value());
  REQUIRE(answer->ok());
  CHECK((*answer)->name == "numbers");
  CHECK((*answer)->is_new);
  const JobId id = (*answer)->job;
  const std::vector<coordination::StoredJob> stored = *world.graphs.List();
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].id == id);
  CHECK(stored[0].source.max_parallelism == 128);  // for ever
  CHECK(stored[0].parallelism == 2);
  CHECK(world.StateOf(id) == JobState::kRunning);
  const rpc::JobDeployment& deployment = world.tasks.deployed.at(id);
  CHECK(deployment.tasks.size() == 4);
  CHECK(deployment.source == stored[0].source);
  CHECK(deployment.epoch == world.options.epoch);
}

TEST_CASE("A job is stored before the answer", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  bool is_answered = false;
  world.dispatcher->Submit({.source = {.text = JobText("numbers")}},
                           [&](absl::StatusOr<SubmitAnswer> answer) {
                             is_answered = true;
                             CHECK(world.graphs.List()->size() == 1);
                           });
  CHECK_FALSE(is_answered);
  world.Settle();
  CHECK(is_answered);
}

TEST_CASE("A descriptor with errors is answered with them and leaves nothing",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const auto answer = world.Submit("weir: 1\nname: broken\n");
  REQUIRE(answer.has_value());
  REQUIRE(answer->ok());
  CHECK((*answer)->job.IsNil());
  CHECK((*answer)->diagnostics.HasErrors());
  CHECK(world.graphs.List()->empty());
  CHECK(world.dispatcher->List(/*ended=*/true).empty());
}

TEST_CASE("Two jobs of one name never run at one time", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId first = world.MustSubmit(JobText("numbers"));
  const auto second = world.Submit(JobText("numbers"));
  REQUIRE(second.has_value());
  CHECK(absl::IsAlreadyExists(second->status()));
  CHECK(absl::StrContains(second->status().message(), first.ToShortString()));
  CHECK(world.graphs.List()->size() == 1);
  world.EndTasks(first, absl::OkStatus());
  CHECK(world.StateOf(first) == JobState::kFinished);
  CHECK(world.MustSubmit(JobText("numbers")) != first);
}

TEST_CASE("Of two jobs of one name that come together, one runs", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  std::vector<absl::Status> answers;
  for (int i = 0; i < 2; ++i) {
    world.dispatcher->Submit(
        {.source = {.text = JobText("numbers")}},
        [&answers](absl::StatusOr<SubmitAnswer> answer) { answers.push_back(answer.status()); });
  }
  world.Settle();
  REQUIRE(answers.size() == 2);
  CHECK(absl::IsAlreadyExists(answers[0]));
  CHECK(answers[1].ok());
  CHECK(world.graphs.List()->size() == 1);
}

TEST_CASE("The same request id makes one job, however often it comes", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  std::vector<SubmitAnswer> answers;
  for (int i = 0; i < 3; ++i) {
    world.dispatcher->Submit(
        {.source = {.text = JobText("numbers")}, .request_id = "r-1"},
        [&answers](absl::StatusOr<SubmitAnswer> answer) { answers.push_back(*answer); });
  }
  world.Settle();
  REQUIRE(answers.size() == 3);
  const JobId id = answers[0].job;
  CHECK(answers[0].is_new);
  for (int i = 1; i < 3; ++i) {
    CHECK(answers[i].job == id);
    CHECK_FALSE(answers[i].is_new);
  }
  world.EndTasks(id, absl::OkStatus());
  const auto late = world.Submit(JobText("numbers"), "r-1");
  CHECK((*late)->job == id);
  CHECK((*late)->name == "numbers");
  CHECK_FALSE((*late)->is_new);
  CHECK(world.graphs.List()->empty());
  // A refused request may be tried again.
  CHECK_FALSE((*world.Submit("weir: 1\nname: x\n", "r-2"))->diagnostics.empty());
  CHECK(world.MustSubmit(JobText("numbers"), "r-2") != id);
}

TEST_CASE("A request id has a length", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  CHECK(world.Submit(JobText("a"), std::string(kRequestIdBytesMax, 'r'))->ok());
  CHECK(absl::IsInvalidArgument(
      world.Submit(JobText("b"), std::string(kRequestIdBytesMax + 1, 'r'))->status()));
}

TEST_CASE("A job that takes checkpoints needs a place for them", "[dispatcher][unit]") {
  DispatcherWorld world;
  world.stores.has_directory = false;
  REQUIRE(world.Start().ok());
  const auto answer =
      world.Submit(JobText("numbers", "{parallelism: 2, checkpointing: {interval: 1s}}"));
  REQUIRE(answer.has_value());
  CHECK(absl::IsFailedPrecondition(answer->status()));
  CHECK(absl::StrContains(answer->status().message(), "`state.checkpoints.dir`"));
  CHECK(world.graphs.List()->empty());
  CHECK(world.Submit(JobText("numbers"))->ok());
}

TEST_CASE("A job that cannot be stored is refused and may come again", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  world.graphs.fails = absl::UnavailableError("the disk is away");
  CHECK(absl::IsUnavailable(world.Submit(JobText("numbers"))->status()));
  CHECK(world.dispatcher->List(/*ended=*/true).empty());
  world.graphs.fails = absl::OkStatus();
  world.stores.fails = absl::PermissionDeniedError("not there");
  CHECK(absl::IsPermissionDenied(world.Submit(JobText("numbers"))->status()));
  world.stores.fails = absl::OkStatus();
  world.MustSubmit(JobText("numbers"));
  CHECK(world.leadership_lost.empty());
}

TEST_CASE("A jobmanager that is fenced off says so and takes no more jobs", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  world.graphs.fails = absl::AbortedError("epoch 3 leads");
  CHECK(absl::IsAborted(world.Submit(JobText("numbers"))->status()));
  CHECK(world.leadership_lost.size() == 1);
  std::string why;
  CHECK_FALSE(world.dispatcher->IsReady(&why));
  CHECK(why == "another jobmanager leads the cluster");
  CHECK(absl::IsUnavailable(world.Submit(JobText("numbers"))->status()));
}

TEST_CASE("Jobs are taken between start and stop", "[dispatcher][unit]") {
  DispatcherWorld world;
  std::string why;
  CHECK_FALSE(world.dispatcher->IsReady(&why));
  CHECK(absl::IsUnavailable(world.Submit(JobText("numbers"))->status()));
  REQUIRE(world.Start().ok());
  CHECK(world.dispatcher->IsReady(&why));
  world.Stop();
  CHECK_FALSE(world.dispatcher->IsReady(&why));
  CHECK(why == "this jobmanager stops");
  CHECK(absl::IsUnavailable(world.Submit(JobText("numbers"))->status()));
}

TEST_CASE("A submission under way when the jobmanager stops is answered", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  std::optional<absl::Status> answer;
  world.dispatcher->Submit(
      {.source = {.text = JobText("numbers")}},
      [&answer](absl::StatusOr<SubmitAnswer> given) { answer = given.status(); });
  bool is_stopped = false;
  world.dispatcher->Stop([&is_stopped] { is_stopped = true; });
  CHECK_FALSE(is_stopped);
  world.Settle();
  REQUIRE(answer.has_value());
  CHECK(absl::IsUnavailable(*answer));
  CHECK(is_stopped);
  CHECK(world.graphs.List()->empty());
}

TEST_CASE("The cluster's default of restarts is for jobs that chose none", "[dispatcher][unit]") {
  DispatcherWorld world;
  world.options.restart = graph::RestartOptions{
      .kind = graph::RestartKind::kFixedDelay, .delay = absl::Seconds(1), .attempts = 1};
  world.Begin();
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  const JobId other =
      world.MustSubmit(JobText("other", "{parallelism: 2, restart: {strategy: none}}"));
  world.EndTasks(id, absl::InternalError("boom"));
  world.EndTasks(other, absl::InternalError("boom"));
  CHECK(world.StateOf(id) == JobState::kRestarting);
  CHECK(world.StateOf(other) == JobState::kFailed);

  world.options.restart->attempts = -5;
  world.Begin();
  CHECK(absl::IsInvalidArgument(world.Start()));
}

}  // namespace
}  // namespace weir::dispatcher
