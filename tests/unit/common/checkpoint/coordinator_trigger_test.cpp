// When checkpoints are triggered: the timer, the queue, the checks before and after the id.
#include <set>

#include <catch2/catch.hpp>

#include "tests/unit/common/checkpoint/coordinator_harness.h"

namespace weir::checkpoint {
namespace {

CoordinatorSettings Every(absl::Duration interval) {
  CoordinatorSettings settings;
  settings.interval = interval;
  settings.timeout = absl::Seconds(200);
  return settings;
}

CoordinatorHarness Running(const std::vector<uint32_t>& parallelism,
                           CoordinatorSettings settings = {}) {
  CoordinatorHarness harness(ChainJob(parallelism), settings);
  harness.Deploy();
  harness.Do(harness.core.OnJobRunning(harness.now()));
  return harness;
}

TEST_CASE("CoordinatorCore triggers only the sources and awaits all", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({2, 1, 1});
  harness.Request(1);

  CHECK(harness.Triggers() ==
        std::multimap<int64_t, AttemptId>{{1, harness.Attempt(0, 0)}, {1, harness.Attempt(0, 1)}});
  CHECK(harness.core.history().entries().front().required == 4);
  const Barrier barrier = harness.Of<SendTrigger>().front().barrier;
  CHECK(barrier.triggered_at == harness.now().wall);
  CHECK(barrier.options.location == "loc1");
}

TEST_CASE("CoordinatorCore triggers at a fixed rate with rising ids until stopped",
          "[checkpoint][unit]") {
  CoordinatorSettings settings = Every(absl::Milliseconds(10));
  settings.max_concurrent = 100;
  CoordinatorHarness harness = Running({1}, settings);
  harness.Advance(absl::Milliseconds(50));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2, 3, 4, 5});

  harness.Do(harness.core.OnJobNotRunning(harness.now()));
  harness.Forget();
  harness.Advance(absl::Seconds(1));
  CHECK(harness.TriggeredIds().empty());

  harness.Do(harness.core.OnJobRunning(harness.now()));
  harness.Advance(absl::Milliseconds(50));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{6, 7, 8, 9, 10});
}

TEST_CASE("The first periodic delay lies between min_pause and the effective interval",
          "[checkpoint][unit]") {
  std::set<absl::Duration> delays;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CoordinatorSettings settings = Every(absl::Milliseconds(100));
    settings.min_pause = absl::Milliseconds(20);
    CoordinatorCore core(ChainJob({1}), settings, kNoCheckpoint, seed);
    const Actions actions = core.OnJobRunning({absl::ZeroDuration(), absl::UnixEpoch()});
    REQUIRE(actions.size() == 1);
    const absl::Duration at = std::get<ArmTimer>(actions[0]).at;
    CHECK(at >= absl::Milliseconds(20));
    CHECK(at <= absl::Milliseconds(100));
    delays.insert(at);
    CHECK(core.OnJobRunning({absl::ZeroDuration(), absl::UnixEpoch()}).empty());
  }
  CHECK(delays.size() > 100);
}

TEST_CASE("Without an interval nothing is periodic and a person's request runs",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Advance(absl::Hours(10));
  CHECK(harness.TriggeredIds().empty());
  harness.Request(1);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
}

TEST_CASE("max_concurrent bounds what is pending", "[checkpoint][unit]") {
  for (const uint32_t k : {1u, 2u, 5u}) {
    CoordinatorSettings settings = Every(absl::Milliseconds(10));
    settings.max_concurrent = k;
    CoordinatorHarness harness = Running({1, 1}, settings);
    harness.Advance(absl::Seconds(1));
    CHECK(harness.TriggeredIds().size() == k);
    harness.Complete(1);
    harness.Advance(absl::Seconds(1));
    CHECK(harness.TriggeredIds().size() == k + 1);
  }
}

TEST_CASE("Subsumption makes room for the next two", "[checkpoint][unit]") {
  CoordinatorSettings settings = Every(absl::Milliseconds(10));
  settings.max_concurrent = 2;
  CoordinatorHarness harness = Running({1, 1}, settings);
  harness.Advance(absl::Seconds(1));
  harness.Complete(2);
  harness.Advance(absl::Seconds(1));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2, 3, 4});
  CHECK(harness.core.pending_count() == 2);
  CHECK(harness.Told<NotifyAborted>() == std::vector<std::pair<AttemptId, int64_t>>{
                                             {harness.Attempt(0), 1}, {harness.Attempt(1), 1}});
}

TEST_CASE("min_pause holds the next periodic checkpoint for exactly the time left",
          "[checkpoint][unit]") {
  CoordinatorSettings settings = Every(absl::Milliseconds(12));
  settings.min_pause = absl::Milliseconds(50);
  CoordinatorHarness harness = Running({1}, settings);
  harness.Advance(absl::Milliseconds(60));
  REQUIRE(harness.TriggeredIds() == std::set<int64_t>{1});
  harness.Advance(absl::Milliseconds(35));
  harness.Complete(1);
  const absl::Duration completed = harness.steady;

  harness.Advance(absl::Milliseconds(49));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
  harness.Advance(absl::Milliseconds(1));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  CHECK(harness.steady - completed == absl::Milliseconds(50));
}

TEST_CASE("min_pause delays neither savepoints nor a person's checkpoint", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.min_pause = absl::Hours(1000);
  CoordinatorHarness harness = Running({1}, settings);
  harness.Request(1);
  harness.Complete(1);
  harness.Request(2, CheckpointKind::kSavepoint);
  harness.Complete(2);
  harness.Request(3);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2, 3});
}

TEST_CASE("A task that does not run refuses the trigger by name", "[checkpoint][unit]") {
  CoordinatorHarness harness(ChainJob({1, 1}));
  harness.Deploy(TaskState::kDeploying);
  harness.Request(1);
  REQUIRE(harness.Answer(1).has_value());
  CHECK(harness.Answer(1)->reason == FailureReason::kNotAllRequiredTasksRunning);
  CHECK(harness.Answer(1)->status.message().find("v0 (1/1)") != absl::string_view::npos);
  CHECK(harness.core.pending_count() == 0);

  harness.Do(harness.core.OnTaskState(harness.Attempt(0), TaskState::kRunning, harness.now()));
  harness.Request(2);
  CHECK(harness.core.pending_count() == 1);
}

TEST_CASE("Nothing is triggered before the job is deployed", "[checkpoint][unit]") {
  CoordinatorHarness harness(ChainJob({1}));
  harness.Request(1);
  CHECK(harness.Answer(1)->reason == FailureReason::kNotAllRequiredTasksRunning);
}

TEST_CASE("A second request waits while the first fetches its id", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.max_concurrent = 2;
  CoordinatorHarness harness = Running({1}, settings);
  harness.fetch_by_itself = false;
  harness.Request(1);
  harness.Request(2);
  CHECK(harness.Count<FetchId>() == 1);
  CHECK(harness.core.queued_count() == 1);
  harness.AnswerFetch();
  CHECK(harness.Count<FetchId>() == 2);
  harness.AnswerFetch();
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
}

TEST_CASE("An id that cannot be fetched fails its request and lets the queue go on",
          "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.max_concurrent = 3;
  settings.tolerable_failures = 0;
  CoordinatorHarness harness = Running({1}, settings);
  harness.fetch_by_itself = false;
  for (const uint64_t token : {1u, 2u, 3u}) harness.Request(token);
  harness.Do(harness.core.OnIdFetchFailed(absl::UnavailableError("no counter"), harness.now()));
  CHECK(harness.Answer(1)->reason == FailureReason::kIoError);
  CHECK(harness.Count<FailJob>() == 1);
  CHECK(harness.core.history().counts().failed == 1);
  CHECK(harness.core.history().counts().in_progress == 0);
  CHECK(harness.core.history().entries().empty());
  harness.AnswerFetch();
  harness.AnswerFetch();
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
}

TEST_CASE("The checks are repeated once the id is there, and the id is skipped",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1}, Every(absl::Milliseconds(10)));
  harness.fetch_by_itself = false;
  harness.Advance(absl::Milliseconds(10));
  REQUIRE(harness.Count<FetchId>() == 1);

  SECTION("the scheduler stopped") {
    harness.Do(harness.core.OnJobNotRunning(harness.now()));
  }
  SECTION("a task failed") {
    harness.Do(harness.core.OnTaskState(harness.Attempt(1), TaskState::kFailed, harness.now()));
  }
  SECTION("the job restarts") {
    harness.Do(harness.core.OnRestart("test", harness.now()));
  }
  SECTION("the coordinator shut down") {
    harness.Do(harness.core.OnShutdown(ShutdownReason::kJobEnded, harness.now()));
  }
  harness.AnswerFetch();
  CHECK(harness.TriggeredIds().empty());
  CHECK(harness.core.pending_count() == 0);
  REQUIRE(harness.Count<RemoveLocation>() == 1);
  CHECK(harness.Of<RemoveLocation>()[0].location == "loc1");
}

TEST_CASE("After loss of leadership not even the skipped id's location is removed",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.fetch_by_itself = false;
  harness.Request(1);
  harness.Do(harness.core.OnShutdown(ShutdownReason::kLeadershipLost, harness.now()));
  harness.AnswerFetch();
  CHECK(harness.Count<RemoveLocation>() == 0);
  CHECK(harness.Answer(1)->reason == FailureReason::kJobEnding);
}

TEST_CASE("An id that does not rise is refused and its location stays", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Request(1);
  harness.Complete(1);
  harness.next_id = 1;
  harness.Request(2);
  CHECK(harness.Answer(2)->reason == FailureReason::kIoError);
  CHECK(harness.Count<RemoveLocation>() == 0);
  CHECK(harness.core.latest_completed() == CheckpointId{1});
}

TEST_CASE("Savepoints of an aligned job run at once and complete in any order",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  for (uint64_t token = 1; token <= 5; ++token) {
    harness.Request(token, CheckpointKind::kSavepoint);
  }
  CHECK(harness.core.pending_count() == 5);
  for (int64_t id = 5; id >= 1; --id) harness.Complete(id);
  for (uint64_t token = 1; token <= 5; ++token) CHECK(harness.Answer(token)->status.ok());
}

TEST_CASE("A savepoint of an unaligned job waits its turn before the checkpoints",
          "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.alignment = BarrierAlignment::kUnaligned;
  CoordinatorHarness harness = Running({1}, settings);
  for (uint64_t token = 1; token <= 10; ++token) harness.Request(token);
  CHECK(harness.core.queued_count() == 9);
  harness.Request(11, CheckpointKind::kSavepoint);
  CHECK(harness.core.queued_count() == 10);
  harness.Decline(0, 1);
  CHECK(harness.core.pending_count() == 1);
  harness.Complete(2);
  CHECK(harness.Answer(11)->status.ok());
}

TEST_CASE("Master hooks run before the triggers and their states are stored",
          "[checkpoint][unit]") {
  JobFacts job = ChainJob({1});
  job.master_hooks = {"a", "b"};
  CoordinatorHarness harness(job);
  harness.Deploy();
  harness.Request(1);
  REQUIRE(harness.Count<CallMasterHooks>() == 1);
  CHECK(harness.TriggeredIds().empty());
  CHECK(harness.core.pending_count() == 1);

  const std::vector<MasterHookState> states{{"a", 3, "the-test-string-state"}};
  harness.Do(harness.core.OnMasterHooksDone(CheckpointId{1}, states, harness.now()));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
  harness.AckAll(1);
  CHECK(harness.Of<WriteMetadataAndStore>()[0].metadata.master_hooks == states);
}

TEST_CASE("A failing or hanging master hook triggers no task and blocks nothing",
          "[checkpoint][unit]") {
  JobFacts job = ChainJob({1});
  job.master_hooks = {"a"};
  CoordinatorHarness harness(job);
  harness.Deploy();
  harness.Request(1);
  harness.Request(2);
  SECTION("fails") {
    harness.Do(harness.core.OnMasterHooksDone(CheckpointId{1}, absl::InternalError("hook"),
                                              harness.now()));
    CHECK(harness.Answer(1)->reason == FailureReason::kTriggerFailure);
  }
  SECTION("hangs") {
    harness.Advance(absl::Minutes(11));
    CHECK(harness.Answer(1)->reason == FailureReason::kExpired);
    harness.Do(harness.core.OnMasterHooksDone(CheckpointId{1}, std::vector<MasterHookState>{},
                                              harness.now()));
  }
  CHECK(harness.TriggeredIds().empty());
  CHECK(harness.Count<NotifyAborted>() == 0);
  CHECK(harness.Count<CallMasterHooks>() == 2);
}

TEST_CASE("A trigger that failed because its task finished is tried again", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({2, 1});
  harness.Request(1);
  harness.Do(harness.core.OnTriggerFailed(harness.Attempt(0, 1), CheckpointId{1},
                                          absl::NotFoundError("no such attempt"), harness.now()));
  CHECK(harness.Told<NotifyAborted>().size() == 3);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  CHECK_FALSE(harness.Answer(1).has_value());

  harness.Do(harness.core.OnTaskState(harness.Attempt(0, 1), TaskState::kFinished, harness.now()));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2, 3});
  harness.Ack(0, 3);
  harness.Ack(1, 3);
  harness.Store(3);
  CHECK(harness.Answer(1)->id == CheckpointId{3});
}

TEST_CASE("A request whose triggers keep failing ends", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Request(1);
  for (int64_t id = 1; harness.core.pending_count() > 0; ++id) {
    REQUIRE(id < 10);
    harness.Do(harness.core.OnTriggerFailed(harness.Attempt(0), CheckpointId{id},
                                            absl::NotFoundError("gone"), harness.now()));
  }
  CHECK(harness.Answer(1)->reason == FailureReason::kTaskFinished);
  CHECK(harness.TriggeredIds().size() == 1 + kTriggerRetriesMax);
}

TEST_CASE("ValidateCoordinatorSettings names the setting and its range", "[checkpoint][unit]") {
  CHECK(ValidateCoordinatorSettings({}).ok());
  CoordinatorSettings settings;
  settings.interval = absl::Milliseconds(10);
  CHECK(ValidateCoordinatorSettings(settings).ok());
  settings.interval = absl::Milliseconds(9);
  const absl::Status status = ValidateCoordinatorSettings(settings);
  CHECK(absl::IsInvalidArgument(status));
  CHECK(status.message().find("interval is 9ms; it must be at least 10ms") !=
        absl::string_view::npos);
  settings = {};
  settings.max_concurrent = 0;
  CHECK_FALSE(ValidateCoordinatorSettings(settings).ok());
  settings = {};
  settings.tolerable_failures = -2;
  CHECK_FALSE(ValidateCoordinatorSettings(settings).ok());
  settings = {};
  settings.min_pause = absl::Milliseconds(-1);
  CHECK_FALSE(ValidateCoordinatorSettings(settings).ok());
}

}  // namespace
}  // namespace weir::checkpoint
