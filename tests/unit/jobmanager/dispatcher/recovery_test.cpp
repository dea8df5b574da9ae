// What must hold: what a former process left goes on, once and under its own name; what had ended
// does not; and nothing is asked for twice.
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "tests/unit/jobmanager/dispatcher/dispatcher_world.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

TEST_CASE("A suspended job goes on in the next process", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"), "r-1");
  world.RunTasks(id);
  const rpc::JobDeployment before = world.tasks.deployed.at(id);
  world.Stop();
  CHECK(world.StateOf(id) == JobState::kSuspended);
  CHECK(world.graphs.List()->size() == 1);
  CHECK(world.results.List()->empty());

  world.tasks.deployed.clear();
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.StateOf(id) == JobState::kRunning);
  const rpc::JobDeployment& after = world.tasks.deployed.at(id);
  CHECK(after.source == before.source);
  CHECK(after.epoch > before.epoch);
  CHECK(std::pair(after.epoch, after.generation) > std::pair(before.epoch, before.generation));
  CHECK(after.tasks[0].attempt != before.tasks[0].attempt);
  // The request that made it still makes nothing new.
  const auto again = world.Submit(JobText("numbers"), "r-1");
  CHECK((*again)->job == id);
  CHECK_FALSE((*again)->is_new);
  CHECK(absl::IsAlreadyExists(world.Submit(JobText("numbers"))->status()));
}

TEST_CASE("A process that dies leaves its jobs as they were", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  world.RunTasks(id);
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.StateOf(id) == JobState::kRunning);
}

TEST_CASE("An ended job is remembered by the next process and does not run", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"), "r-1");
  world.clock.Advance(absl::Seconds(9));
  world.EndTasks(id, absl::InternalError("boom"));
  const JobSummary before = world.dispatcher->Describe("numbers")->summary;
  world.Stop();

  world.tasks.deployed.clear();
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.tasks.deployed.empty());
  CHECK(world.dispatcher->List(/*ended=*/false).empty());
  const JobSummary after = world.dispatcher->Describe("numbers")->summary;
  CHECK(after.id == id);
  CHECK(after.state == JobState::kFailed);
  CHECK(after.cause == "boom");
  CHECK(after.submitted_at == before.submitted_at);
  CHECK(after.started_at == before.started_at);
  CHECK(after.ended_at == before.ended_at);
  CHECK(after.tasks == 4);
  CHECK((*world.Submit(JobText("numbers"), "r-1"))->job == id);
  CHECK(world.dispatcher->Checkpoints("numbers")->empty());
}

TEST_CASE("Whoever finds a job's result only cleans up", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  const coordination::StoredJob stored = world.graphs.List()->front();
  world.EndTasks(id, absl::OkStatus());
  // The former process died between the two.
  REQUIRE(world.graphs.Put(stored).ok());

  world.tasks.deployed.clear();
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.tasks.deployed.empty());
  CHECK(world.graphs.List()->empty());
  CHECK(world.StateOf(id) == JobState::kFinished);
}

TEST_CASE("What an ended job left and cannot be removed keeps nobody from leading",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"));
  const coordination::StoredJob stored = world.graphs.List()->front();
  world.EndTasks(id, absl::OkStatus());
  REQUIRE(world.graphs.Put(stored).ok());
  world.Begin();
  world.stores.fails = absl::UnavailableError("the disk is away");
  REQUIRE(world.Start().ok());
  CHECK(world.StateOf(id) == JobState::kFinished);
  CHECK(world.graphs.List()->size() == 1);
  world.stores.fails = absl::OkStatus();
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.graphs.List()->empty());
}

TEST_CASE("A job that was being cancelled ends CANCELED in the next process and does not run",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(JobText("numbers"), "r-1");
  world.RunTasks(id);
  world.dispatcher->Cancel("numbers",
                           [](const absl::StatusOr<JobSummary>& answer) { CHECK(answer.ok()); });
  world.Settle();
  REQUIRE(world.StateOf(id) == JobState::kCancelling);

  world.tasks.deployed.clear();
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.tasks.deployed.empty());
  CHECK(world.StateOf(id) == JobState::kCanceled);
  REQUIRE(world.results.List()->size() == 1);
  CHECK(world.results.List()->front().end == coordination::JobEnd::kCanceled);
  CHECK(world.graphs.List()->empty());
  CHECK((*world.Submit(JobText("numbers"), "r-1"))->job == id);
}

TEST_CASE("A cancelled job that is not accepted any more is CANCELED all the same",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.graphs
              .Put({.id = JobId{4, 4},
                    .name = "old",
                    .submitted_at = world.clock.WallNow(),
                    .source = {.text = "weir: 1\nname: old\nsauces: {}\n"},
                    .parallelism = 3,
                    .is_cancelled = true})
              .ok());
  REQUIRE(world.Start().ok());
  const JobSummary summary = world.dispatcher->Describe("old")->summary;
  CHECK(summary.state == JobState::kCanceled);
  CHECK(summary.parallelism == 3);
  CHECK(world.graphs.List()->empty());
  CHECK(world.results.List()->size() == 1);
}

TEST_CASE("A stored job that is not accepted any more has failed, and says why",
          "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.graphs
              .Put({.id = JobId{4, 4},
                    .name = "old",
                    .submitted_at = world.clock.WallNow(),
                    .source = {.text = "weir: 1\nname: old\nsauces: {}\n"},
                    .parallelism = 3})
              .ok());
  REQUIRE(world.Start().ok());
  const JobSummary summary = world.dispatcher->Describe("old")->summary;
  CHECK(summary.state == JobState::kFailed);
  CHECK(absl::StartsWith(summary.cause, "its descriptor is not accepted any more: "));
  CHECK(world.graphs.List()->empty());
  CHECK(world.results.List()->size() == 1);
}

TEST_CASE("A stored job of a parallelism that cannot be fails on its own", "[dispatcher][unit]") {
  DispatcherWorld world;
  const auto put = [&world](uint64_t id, absl::optional<int64_t> parallelism,
                            int64_t max_parallelism) {
    const std::string name = absl::StrCat("job", id);
    REQUIRE(world.graphs
                .Put({.id = JobId{id, id},
                      .name = name,
                      .submitted_at = world.clock.WallNow(),
                      .source = {.text = JobText(name),
                                 .parallelism = parallelism,
                                 .max_parallelism = max_parallelism},
                      .parallelism = 1})
                .ok());
  };
  put(1, -1, 128);
  put(2, absl::nullopt, 99999);
  put(3, 1, 128);
  REQUIRE(world.Start().ok());
  CHECK(world.dispatcher->Describe("job1")->summary.state == JobState::kFailed);
  const JobSummary summary = world.dispatcher->Describe("job2")->summary;
  CHECK(summary.state == JobState::kFailed);
  CHECK(absl::StrContains(summary.cause, "max_parallelism is 99999; it must be"));
  CHECK(world.graphs.List()->size() == 1);
  CHECK_FALSE(HasEnded(world.dispatcher->Describe("job3")->summary.state));
}

TEST_CASE("A start that cannot read what is stored may be tried again", "[dispatcher][unit]") {
  DispatcherWorld world;
  REQUIRE(world.Start().ok());
  world.MustSubmit(JobText("numbers"));
  world.Begin();
  world.stores.fails = absl::UnavailableError("the disk is away");
  CHECK(absl::IsUnavailable(world.Start()));
  std::string why;
  CHECK_FALSE(world.dispatcher->IsReady(&why));
  CHECK(world.graphs.List()->size() == 1);
  world.stores.fails = absl::OkStatus();
  CHECK(world.Start().ok());
  CHECK(world.dispatcher->List(false).size() == 1);
}

TEST_CASE("A resumed job restarts after a failure of its first start", "[dispatcher][unit]") {
  DispatcherWorld world;
  const std::string text = JobText("numbers", "{parallelism: 2, checkpointing: {interval: 1s}}");
  REQUIRE(world.Start().ok());
  const JobId id = world.MustSubmit(text);
  world.Begin();
  REQUIRE(world.Start().ok());
  CHECK(world.StateOf(id) == JobState::kRunning);
  world.EndTasks(id, absl::UnavailableError("taskmanager 1 was lost"));
  CHECK(world.StateOf(id) == JobState::kRestarting);
}

}  // namespace
}  // namespace weir::dispatcher
