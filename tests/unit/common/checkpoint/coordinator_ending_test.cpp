// How checkpoints end: acknowledged and stored, declined, expired, subsumed, given up.
#include <set>

#include <catch2/catch.hpp>

#include "tests/unit/common/checkpoint/coordinator_harness.h"

namespace weir::checkpoint {
namespace {

using Told = std::vector<std::pair<AttemptId, int64_t>>;

CoordinatorHarness Running(const std::vector<uint32_t>& parallelism,
                           CoordinatorSettings settings = {}) {
  CoordinatorHarness harness(ChainJob(parallelism), settings);
  harness.Deploy();
  return harness;
}

CoordinatorSettings Concurrent(uint32_t count) {
  CoordinatorSettings settings;
  settings.max_concurrent = count;
  return settings;
}

TEST_CASE("A checkpoint completes when all have acknowledged and it is stored",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  harness.Request(1);
  CHECK(harness.IsArmed(TimerKind::kExpiry, 1));
  CHECK(harness.Ack(1, 1) == AckResult::kSuccess);
  CHECK(harness.Ack(1, 1) == AckResult::kDuplicate);
  CHECK(harness.Count<WriteMetadataAndStore>() == 0);
  CHECK(harness.Ack(0, 1) == AckResult::kSuccess);
  CHECK_FALSE(harness.IsArmed(TimerKind::kExpiry, 1));
  REQUIRE(harness.Count<WriteMetadataAndStore>() == 1);
  CHECK(harness.Count<NotifyComplete>() == 0);
  CHECK(harness.core.pending_count() == 1);

  harness.Store(1);
  CHECK(harness.core.pending_count() == 0);
  CHECK(harness.Told<NotifyComplete>() == Told{{harness.Attempt(0), 1}, {harness.Attempt(1), 1}});
  CHECK(harness.Answer(1)->status.ok());
  CHECK(harness.Answer(1)->location == "loc1");
  CHECK(harness.core.latest_completed() == CheckpointId{1});
  CHECK(harness.Ack(0, 1) == AckResult::kDuplicate);
  CHECK(harness.Count<DiscardState>() == 0);
  CHECK(harness.Count<RemoveLocation>() == 0);
}

TEST_CASE("The metadata names every operator and subtask with its state", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({2, 1});
  harness.Request(1);
  AckFacts stateless = harness.MakeAck(0, 1, 1);
  stateless.states.clear();
  CHECK(harness.Give(stateless) == AckResult::kSuccess);
  harness.Ack(0, 1, 0);
  harness.Ack(1, 1);

  const WriteMetadataAndStore write = harness.Of<WriteMetadataAndStore>()[0];
  CHECK(write.location == "loc1");
  CHECK(write.enters_store);
  const CheckpointMetadata& metadata = write.metadata;
  CHECK(metadata.job_id == JobId{1, 2});
  CHECK(metadata.id == CheckpointId{1});
  CHECK(metadata.kind == CheckpointKind::kCheckpoint);
  REQUIRE(metadata.operators.size() == 2);
  CHECK(metadata.operators[0].uid == "op0");
  CHECK(metadata.operators[0].id == OperatorIdOfUid("op0"));
  CHECK(metadata.operators[0].signature == "sig");
  REQUIRE(metadata.operators[0].Parallelism() == 2);
  CHECK(metadata.operators[0].subtasks[0].state == FileState("f0-0", 10));
  CHECK(metadata.operators[0].subtasks[1].state.IsEmpty());
  CHECK(metadata.operators[1].subtasks[0].state == FileState("f1-0", 10));
}

TEST_CASE("Interleaved acknowledgements complete two checkpoints in order", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1, 1}, Concurrent(2));
  harness.Request(1);
  harness.Request(2);
  harness.Ack(0, 1);
  harness.Ack(0, 2);
  harness.Ack(2, 2);
  harness.Ack(2, 1);
  harness.Ack(1, 1);
  harness.Store(1);
  harness.Ack(1, 2);
  harness.Store(2);
  Told told;
  for (const int64_t id : {1, 2}) {
    for (const uint32_t v : {0u, 1u, 2u}) told.emplace_back(harness.Attempt(v), id);
  }
  CHECK(harness.Told<NotifyComplete>() == told);
  CHECK(harness.Triggers().size() == 2);
}

TEST_CASE("A decline ends the checkpoint once, and repeats change nothing", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = 0;
  const FailureReason reason = GENERATE(FailureReason::kDeclined, FailureReason::kAsyncFailure);
  CoordinatorHarness harness = Running({1, 1}, settings);
  harness.Request(1);
  harness.Ack(1, 1);
  harness.Decline(0, 1, reason);
  CHECK(harness.core.pending_count() == 0);
  CHECK_FALSE(harness.IsArmed(TimerKind::kExpiry, 1));
  harness.Decline(0, 1, reason);
  harness.Decline(1, 1, reason);
  CHECK(harness.Count<FailJob>() == 1);
  CHECK(harness.Told<NotifyAborted>() == Told{{harness.Attempt(0), 1}, {harness.Attempt(1), 1}});
  REQUIRE(harness.Count<RemoveLocation>() == 1);
  CHECK(harness.Of<RemoveLocation>()[0].location == "loc1");
  CHECK(harness.Answer(1)->reason == reason);
}

TEST_CASE("A decline of one checkpoint leaves the other alone", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1}, Concurrent(2));
  harness.Request(1);
  harness.Request(2);
  harness.Decline(0, 1);
  CHECK(harness.Told<NotifyAborted>() == Told{{harness.Attempt(0), 1}, {harness.Attempt(1), 1}});
  harness.Decline(1, 1);
  CHECK(harness.Told<NotifyAborted>().size() == 2);
  harness.Complete(2);
  CHECK(harness.Answer(2)->status.ok());
}

TEST_CASE("An abort tells the tasks the latest completed id", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Request(1);
  harness.Complete(1);
  harness.Request(2);
  harness.Decline(0, 2);
  REQUIRE(harness.Count<NotifyAborted>() == 1);
  CHECK(harness.Of<NotifyAborted>()[0].latest_completed == CheckpointId{1});
}

TEST_CASE("A checkpoint that takes too long expires and fails no job", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = 0;
  settings.timeout = absl::Seconds(5);
  CoordinatorHarness harness = Running({1, 2}, settings);
  harness.Request(1);
  harness.Ack(0, 1);
  harness.Ack(1, 1, 1);
  harness.Advance(absl::Milliseconds(4999));
  CHECK(harness.core.pending_count() == 1);
  harness.Advance(absl::Milliseconds(1));
  CHECK(harness.core.pending_count() == 0);
  CHECK(harness.Answer(1)->reason == FailureReason::kExpired);
  CHECK(harness.Count<FailJob>() == 0);
  CHECK(harness.Count<NotifyComplete>() == 0);
  const LogLine line = harness.Of<LogLine>().back();
  CHECK(line.text.find("missing=\"v1 (1/2)\"") != std::string::npos);
}

TEST_CASE("A late acknowledgement of an ended id is discarded with its files",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  harness.Request(1);
  harness.Decline(0, 1);
  CHECK(harness.Ack(1, 1) == AckResult::kDiscarded);
  REQUIRE(harness.Count<DiscardState>() == 1);
  CHECK(harness.Of<DiscardState>()[0].location == "loc1");
  CHECK(harness.Of<DiscardState>()[0].streams[0].path == "f1-0");
}

TEST_CASE("In doubt nothing is deleted", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  harness.Request(1);
  harness.Forget();
  AckFacts ack = harness.MakeAck(0, 1);
  SECTION("another job") {
    ack.sender.job = {9, 9};
  }
  SECTION("another epoch") {
    ack.sender.epoch = 8;
  }
  SECTION("an unknown id") {
    ack.id = CheckpointId{99};
  }
  SECTION("an unknown attempt") {
    ack.sender.attempt = {9, 9};
  }
  CHECK(harness.Give(ack) == AckResult::kUnknown);
  CHECK(harness.Count<DiscardState>() == 0);
  CHECK(harness.Count<RemoveLocation>() == 0);
  CHECK(harness.core.pending_count() == 1);
  DeclineFacts decline{ack.sender, ack.id, FailureReason::kDeclined, absl::OkStatus()};
  if (ack.id == CheckpointId{1}) {
    harness.Do(harness.core.OnDecline(decline, harness.now()));
    CHECK(harness.core.pending_count() == 1);
  }
}

TEST_CASE("State of an operator the task does not run gives the checkpoint up",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  harness.Request(1);
  AckFacts ack = harness.MakeAck(0, 1);
  ack.states["op1"] = FileState("x", 1);
  CHECK(harness.Give(ack) == AckResult::kUnknown);
  CHECK(harness.core.pending_count() == 0);
}

TEST_CASE("Tolerable failures are counted in a row, each id once", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = 2;
  CoordinatorHarness harness = Running({1, 1}, settings);
  const auto fail = [&harness](int64_t id) {
    harness.Request(100);
    harness.Decline(0, id);
    harness.Decline(1, id);
  };
  fail(1);
  fail(2);
  CHECK(harness.Count<FailJob>() == 0);
  harness.Request(100);
  harness.Complete(3);
  fail(4);
  fail(5);
  CHECK(harness.Count<FailJob>() == 0);
  fail(6);
  fail(7);
  CHECK(harness.Count<FailJob>() == 1);
}

TEST_CASE("Unlimited tolerance never fails the job", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = kTolerableFailuresUnlimited;
  CoordinatorHarness harness = Running({1}, settings);
  for (int64_t id = 1; id <= 50; ++id) {
    harness.Request(100);
    harness.Decline(0, id);
  }
  CHECK(harness.Count<FailJob>() == 0);
  CHECK(harness.core.history().counts().failed == 50);
}

TEST_CASE("A restart waits for what is being stored and aborts the rest", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1}, Concurrent(3));
  harness.Request(1);
  harness.AckAll(1);
  harness.Request(2);
  harness.Request(3);
  harness.Request(4);
  harness.Forget();
  harness.Do(harness.core.OnRestart("task lost", harness.now()));
  CHECK(harness.Answer(2)->reason == FailureReason::kJobRestarting);
  CHECK(harness.Answer(4)->reason == FailureReason::kJobRestarting);
  CHECK(harness.Count<Quiesced>() == 0);
  CHECK(harness.Ack(0, 2) == AckResult::kDiscarded);
  harness.Store(1);
  CHECK(harness.Count<Quiesced>() == 1);
  CHECK(harness.core.latest_completed() == CheckpointId{1});
  harness.Request(5);
  CHECK(harness.Answer(5)->reason == FailureReason::kNotAllRequiredTasksRunning);

  const AckFacts old = harness.MakeAck(0, 4);
  harness.Deploy();
  harness.Request(6);
  CHECK(harness.Give(old) == AckResult::kUnknown);
  harness.Complete(4);
  CHECK(harness.Answer(6)->status.ok());
}

TEST_CASE("A restart leaves the periodic timer armed", "[checkpoint][unit]") {
  CoordinatorSettings settings = Concurrent(10);
  settings.interval = absl::Milliseconds(10);
  CoordinatorHarness harness = Running({1}, settings);
  harness.Do(harness.core.OnJobRunning(harness.now()));
  harness.Advance(absl::Seconds(1));
  CHECK(harness.core.pending_count() == 10);
  harness.Do(harness.core.OnRestart("region", harness.now()));
  CHECK(harness.core.pending_count() == 0);
  CHECK(harness.IsArmed(TimerKind::kPeriodic));
  CHECK(harness.Count<FailJob>() == 0);
}

TEST_CASE("After shutdown every message is refused", "[checkpoint][unit]") {
  const ShutdownReason reason =
      GENERATE(ShutdownReason::kJobEnded, ShutdownReason::kLeadershipLost);
  CoordinatorHarness harness = Running({1});
  harness.Request(1);
  harness.Forget();
  harness.Do(harness.core.OnShutdown(reason, harness.now()));
  CHECK(harness.Count<Quiesced>() == 1);
  const bool ended = reason == ShutdownReason::kJobEnded;
  CHECK(harness.Count<RemoveLocation>() == (ended ? 1 : 0));
  CHECK(harness.Count<NotifyAborted>() == (ended ? 1 : 0));
  CHECK(harness.Ack(0, 1) == AckResult::kRefused);
  CHECK(harness.Count<DiscardState>() == (ended ? 1 : 0));
  harness.Request(2);
  CHECK(harness.Answer(2)->reason == FailureReason::kCoordinatorShutdown);
  harness.Do(harness.core.OnJobRunning(harness.now()));
  CHECK_FALSE(harness.IsArmed(TimerKind::kPeriodic));
}

TEST_CASE("The last sixteen ended ids are remembered", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = kTolerableFailuresUnlimited;
  CoordinatorHarness harness = Running({1}, settings);
  for (int64_t id = 1; id <= 17; ++id) {
    harness.Request(100);
    harness.Decline(0, id);
  }
  CHECK(harness.Ack(0, 2) == AckResult::kDiscarded);
  CHECK(harness.Ack(0, 1) == AckResult::kUnknown);
}

TEST_CASE("A task that fails without having acknowledged ends the checkpoint",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1, 1});
  harness.Request(1);
  harness.Do(harness.core.OnTaskState(harness.Attempt(1), TaskState::kFailed, harness.now()));
  CHECK(harness.Answer(1)->reason == FailureReason::kTaskFailed);
  CHECK(harness.Told<NotifyAborted>() == Told{{harness.Attempt(0), 1}});
}

TEST_CASE("The history is bounded and counts everything", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.history_max = 3;
  settings.tolerable_failures = kTolerableFailuresUnlimited;
  CoordinatorHarness harness = Running({1}, settings);
  for (int64_t id = 1; id <= 5; ++id) {
    harness.Request(100);
    harness.steady += absl::Milliseconds(7);
    if (id == 4) {
      harness.Decline(0, id);
    } else {
      harness.Complete(id);
    }
  }
  const CheckpointHistory& history = harness.core.history();
  REQUIRE(history.entries().size() == 3);
  CHECK(history.entries()[0].id == CheckpointId{3});
  CHECK(history.entries()[1].status == CheckpointStatus::kFailed);
  CHECK(history.entries()[1].reason == FailureReason::kDeclined);
  CHECK(history.entries()[2].status == CheckpointStatus::kCompleted);
  CHECK(history.entries()[2].duration == absl::Milliseconds(7));
  CHECK(history.entries()[2].state_bytes == 10);
  CHECK(history.counts().triggered == 5);
  CHECK(history.counts().completed == 4);
  CHECK(history.counts().failed == 1);
  CHECK(history.counts().in_progress == 0);
}

TEST_CASE("The newest checkpoint is the one with the highest id", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1}, Concurrent(2));
  harness.Request(100);
  harness.Request(101);
  harness.AckAll(1);
  harness.AckAll(2);
  harness.Store(2);
  harness.Store(1);
  CHECK(harness.core.history().counts().completed == 2);
  CHECK(harness.core.history().latest_completed()->id == CheckpointId{2});
}

TEST_CASE("A restored id is the latest completed one", "[checkpoint][unit]") {
  CoordinatorCore core(ChainJob({1}), {}, CheckpointId{42}, 1);
  CHECK(core.latest_completed() == CheckpointId{42});
  CHECK(core.history().counts().restored == 1);
  CHECK(core.history().latest_restored() == CheckpointId{42});
}

}  // namespace
}  // namespace weir::checkpoint
