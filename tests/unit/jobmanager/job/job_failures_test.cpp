// What must hold: of an incident the cause is named and not what followed from it, what waiting can
// cure is tried again and nothing else, and a job is spread as its slots say.
#include <set>

#include <catch2/catch.hpp>

#include "common/rpc/channel_lost.h"
#include "tests/unit/jobmanager/job/job_world.h"

namespace weir::job {
namespace {

// Steps until the job's state is `state`.
void RunUntilState(JobWorld& world, JobState state) {
  int steps = 0;
  while (world.job->lifecycle().state() != state && steps++ < 2000) REQUIRE(world.Step());
  REQUIRE(world.job->lifecycle().state() == state);
}

void RunUntilAllRunning(JobWorld& world) {
  RunUntilState(world, JobState::kRunning);
  while (!world.job->execution()->AllRunning()) REQUIRE(world.Step());
}

checkpoint::Sender SenderOf(const JobWorld& world, size_t attempt) {
  return {world.job->description().id, world.job->description().epoch,
          world.job->execution()->attempts()[attempt].id};
}

TEST_CASE("A failing task is named with its place", "[job][unit]") {
  JobWorld world({});
  world.AddTaskManager(1);
  world.AddTaskManager(2);
  world.job->Start();
  RunUntilState(world, JobState::kFailing);
  const std::vector<Failure> failures = world.job->failures().Newest();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].status.message() == "boom");
  CHECK(failures[0].vertex == world.job->description().graph->vertices[1].name);
  CHECK(failures[0].taskmanager == world.job->slots().slots[failures[0].subtask]);
  CHECK(failures[0].host == world.job->slots().places.at(failures[0].taskmanager).host);
  CHECK(world.job->root_cause().message() == "boom (on taskmanager " +
                                                 failures[0].taskmanager.ToShortString() + ", " +
                                                 failures[0].host + ")");
}

TEST_CASE("A lost taskmanager is the cause, not the channels that broke with it", "[job][unit]") {
  JobWorld world({.failing_executions = 0});
  world.AddTaskManager(1);
  world.AddTaskManager(2);
  world.job->Start();
  RunUntilAllRunning(world);
  // A task of the one that stays hears of it first.
  size_t stays = 0;
  while (world.job->slots().slots[world.job->execution()->attempts()[stays].subtask] !=
         JobWorld::IdOf(1)) {
    ++stays;
  }
  const absl::Status channel_lost =
      rpc::MarkChannelLost(absl::UnavailableError("the channel to host-2 broke"));
  world.gateway.OnTaskEnded(SenderOf(world, stays), channel_lost);
  RunUntilState(world, JobState::kFailing);
  CHECK(world.job->root_cause().message() ==
        "the channel to host-2 broke (on taskmanager 00000001, host-1)");
  world.LoseTaskManager(2);
  RunUntilState(world, JobState::kRestarting);
  CHECK(world.job->root_cause().message() ==
        "taskmanager 00000002 on host-2 was lost: connection reset");
  CHECK(world.job->lifecycle().cause() == world.job->root_cause());
  const std::vector<Failure> failures = world.job->failures().Newest();
  REQUIRE(failures.size() == 2);
  CHECK(rpc::IsChannelLost(failures[1].status));
}

TEST_CASE("What waiting cannot cure is not tried again", "[job][unit]") {
  for (const absl::Status& failure :
       {absl::FailedPreconditionError("no"), absl::InvalidArgumentError("no"),
        absl::DataLossError("no")}) {
    JobWorld world({.failure = failure});
    world.AddTaskManager(1);
    world.job->Start();
    world.RunToEnd();
    CHECK(world.Leftovers() == "");
    CHECK(world.job->lifecycle().state() == JobState::kFailed);
    CHECK(world.job->counts().restarts == 0);
    CHECK(world.deployments() == 1);
  }
}

TEST_CASE("A job that a person starts fails at once if its sinks cannot be settled",
          "[job][unit]") {
  JobWorld world({});
  world.AddTaskManager(1);
  world.preparations = {absl::PermissionDeniedError("not yours")};
  world.job->Start();
  world.RunToEnd();
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFailed);
  CHECK(world.job->root_cause().message() == "not yours");
  CHECK(world.deployments() == 0);
}

TEST_CASE("A job that is resumed tries again", "[job][unit]") {
  JobWorld world({.failing_executions = 0, .started_by = StartedBy::kSystem});
  world.AddTaskManager(1);
  world.preparations = {absl::PermissionDeniedError("not yet"), absl::InternalError("nor now")};
  world.job->Start();
  world.RunToEnd();
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFinished);
  CHECK(world.job->counts().restarts == 2);
}

TEST_CASE("A place that the job itself may still hold is waited for, another's is not",
          "[job][unit]") {
  const absl::Status held = absl::FailedPreconditionError("the directory is in use");
  {
    JobWorld world({});
    world.AddTaskManager(1);
    world.preparations = {held};
    world.job->Start();
    world.RunToEnd();
    CHECK(world.job->lifecycle().state() == JobState::kFailed);
  }
  {
    JobWorld world({});
    world.AddTaskManager(1);
    world.preparations = {absl::OkStatus(), held, held};
    world.job->Start();
    world.RunToEnd();
    CHECK(world.Leftovers() == "");
    CHECK(world.job->lifecycle().state() == JobState::kFinished);
    CHECK(world.job->counts().restarts == 3);
  }
}

TEST_CASE("A job without slots says what is missing, and tries again after the timeout",
          "[job][unit]") {
  JobWorld world({.failing_executions = 0});
  world.job->Start();
  world.Step();
  CHECK(world.job->WaitsFor() == "waiting for 2 slots: there is no taskmanager; start some");
  CHECK(world.job->lifecycle().state() == JobState::kCreated);
  world.timers.AdvanceBy(absl::Minutes(5));
  CHECK(world.job->lifecycle().state() == JobState::kRestarting);
  CHECK(absl::IsResourceExhausted(world.job->root_cause()));
  CHECK(world.job->root_cause().message() ==
        "not enough slots for 5m: waiting for 2 slots: there is no taskmanager; start some");
  CHECK(world.job->WaitsFor().empty());
  world.AddTaskManager(1);
  world.RunToEnd();
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFinished);
}

TEST_CASE("Checkpoints that are away are waited for, without slots and without end",
          "[job][unit]") {
  JobWorld world({.failing_executions = 20, .started_by = StartedBy::kSystem});
  world.AddTaskManager(1);
  world.store.recoveries.assign(50, absl::UnavailableError("/chk is not there"));
  world.job->Start();
  // More often than the job may restart.
  while (!world.store.recoveries.empty()) {
    REQUIRE(world.Step());
    REQUIRE_FALSE(HasEnded(world.job->lifecycle().state()));
    CHECK(world.pool->FreeOn(JobWorld::IdOf(1)) == 2);
  }
  CHECK(world.deployments() == 0);
  CHECK(world.job->root_cause().message() == "/chk is not there");
  // And the attempts of the job are all there still: each of its 20 failures is restarted after.
  world.RunToEnd(20'000);
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFinished);
  CHECK(world.deployments() == 21);
}

TEST_CASE("A resumed job knows its newest checkpoint while it waits for slots", "[job][unit]") {
  JobWorld world({.failing_executions = 0, .started_by = StartedBy::kSystem});
  checkpoint::CheckpointMetadata metadata;
  metadata.id = CheckpointId{4};
  metadata.triggered_at = absl::FromUnixSeconds(77);
  REQUIRE(world.store.Add("chk-4", metadata).outcome == checkpoint::StoreOutcome::kStored);
  world.job->Start();
  while (world.job->WaitsFor().empty()) REQUIRE(world.Step());
  CHECK(world.job->counts().found == CheckpointId{4});
  CHECK(world.job->counts().found_at == absl::FromUnixSeconds(77));
  CHECK(world.job->counts().restored == kNoCheckpoint);
}

TEST_CASE("A job that waits for its checkpoints can be cancelled at any step", "[job][unit]") {
  for (int step = 0; step < 20; ++step) {
    JobWorld world({.started_by = StartedBy::kSystem});
    world.AddTaskManager(1);
    world.store.recoveries.assign(50, absl::UnavailableError("/chk is not there"));
    world.job->Start();
    for (int i = 0; i < step; ++i) REQUIRE(world.Step());
    world.job->Cancel();
    world.RunToEnd();
    CAPTURE(step);
    CHECK(world.Leftovers() == "");
    CHECK(world.job->lifecycle().state() == JobState::kCanceled);
  }
}

TEST_CASE("After a reading that failed the checkpoints are read again, never left out",
          "[job][unit]") {
  JobWorld world({.checkpoints = 2});
  world.AddTaskManager(1);
  world.job->Start();
  RunUntilState(world, JobState::kRestarting);
  const CheckpointId newest = world.store.Latest()->id;
  RunUntilState(world, JobState::kRunning);
  // The state cannot be read; and then neither can what is older.
  world.store.recoveries = {absl::UnavailableError("the disk is away")};
  world.gateway.OnTaskEnded(SenderOf(world, 0), absl::DataLossError("cut short"));
  while (!world.store.recoveries.empty()) REQUIRE(world.Step());
  RunUntilState(world, JobState::kRunning);
  CHECK(world.job->counts().restored == newest);
}

TEST_CASE("Subtask i of every vertex runs in slot i", "[job][unit]") {
  JobWorld world({});
  world.AddTaskManager(1);
  world.AddTaskManager(2);
  world.job->Start();
  RunUntilAllRunning(world);
  CHECK(world.job->slots().slots ==
        std::vector<TaskManagerId>{JobWorld::IdOf(1), JobWorld::IdOf(2)});
  CHECK(world.pool->FreeOn(JobWorld::IdOf(1)) == 1);
  CHECK(world.pool->FreeOn(JobWorld::IdOf(2)) == 1);
  CHECK(world.live_tasks() == 4);
}

TEST_CASE("A restarted job goes on from the newest checkpoint with new attempts", "[job][unit]") {
  JobWorld world({.checkpoints = 3, .failing_executions = 2});
  world.AddTaskManager(1);
  world.job->Start();
  RunUntilAllRunning(world);
  std::set<AttemptId> first;
  for (const Attempt& attempt : world.job->execution()->attempts()) first.insert(attempt.id);
  RunUntilState(world, JobState::kRestarting);
  RunUntilAllRunning(world);
  for (const Attempt& attempt : world.job->execution()->attempts()) {
    CHECK_FALSE(first.contains(attempt.id));
  }
  CHECK(world.job->counts().restored == world.store.Latest()->id);
  world.RunToEnd();
  CHECK(world.Leftovers() == "");
  CHECK(world.job->lifecycle().state() == JobState::kFinished);
  CHECK(world.job->counts().restarts == 2);
}

TEST_CASE("Events of an older execution change nothing", "[job][unit]") {
  JobWorld world({.failing_executions = 1});
  world.AddTaskManager(1);
  world.job->Start();
  RunUntilAllRunning(world);
  const checkpoint::Sender old = SenderOf(world, 0);
  RunUntilState(world, JobState::kRestarting);
  RunUntilAllRunning(world);
  world.job->OnTaskEnded(old, absl::InternalError("late"));
  CHECK(world.job->lifecycle().state() == JobState::kRunning);
  checkpoint::Sender other_epoch = SenderOf(world, 0);
  ++other_epoch.epoch;
  world.job->OnTaskEnded(other_epoch, absl::InternalError("another leader's"));
  CHECK(world.job->lifecycle().state() == JobState::kRunning);
}

}  // namespace
}  // namespace weir::job
