// Checkpoints while tasks finish, and the FINAL one.
#include <set>

#include <catch2/catch.hpp>

#include "tests/unit/common/checkpoint/coordinator_harness.h"

namespace weir::checkpoint {
namespace {

CoordinatorHarness Running(const JobFacts& job, CoordinatorSettings settings = {}) {
  CoordinatorHarness harness(job, settings);
  harness.Deploy();
  harness.Do(harness.core.OnJobRunning(harness.now()));
  return harness;
}

void Finish(CoordinatorHarness& harness, uint32_t vertex, uint32_t subtask = 0) {
  harness.Do(harness.core.OnTaskState(harness.Attempt(vertex, subtask), TaskState::kFinished,
                                      harness.now()));
}
void EndData(CoordinatorHarness& harness, uint32_t vertex, uint32_t subtask = 0) {
  harness.Do(harness.core.OnEndOfData(harness.Attempt(vertex, subtask), harness.now()));
}

TEST_CASE("Finished subtasks are neither triggered nor awaited", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({3, 3}));
  Finish(harness, 0, 0);
  Finish(harness, 0, 2);
  harness.Request(1);
  CHECK(harness.Triggers() == std::multimap<int64_t, AttemptId>{{1, harness.Attempt(0, 1)}});
  harness.Ack(0, 1, 1);
  for (const uint32_t i : {0u, 1u, 2u}) harness.Ack(1, 1, i);
  REQUIRE(harness.Count<WriteMetadataAndStore>() == 1);
  const CheckpointMetadata metadata = harness.Of<WriteMetadataAndStore>()[0].metadata;
  CHECK(metadata.operators[0].subtasks[0].finished);
  CHECK_FALSE(metadata.operators[0].subtasks[1].finished);
  CHECK(metadata.operators[0].subtasks[2].finished);
  CHECK_FALSE(metadata.operators[0].IsFinished());
  harness.Store(1);
  CHECK(harness.Told<NotifyComplete>().size() == 4);
}

TEST_CASE("A task whose producers have all finished is triggered itself", "[checkpoint][unit]") {
  JobFacts job = ChainJob({2, 2, 1});
  job.vertices[1].inputs[0].kind = EdgeKind::kForward;
  CoordinatorHarness harness = Running(job);
  Finish(harness, 0, 0);
  harness.Request(1);
  CHECK(harness.Triggers() ==
        std::multimap<int64_t, AttemptId>{{1, harness.Attempt(0, 1)}, {1, harness.Attempt(1, 0)}});
}

TEST_CASE("A task that finishes without having acknowledged aborts, and it is tried again",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({2, 1}));
  harness.Request(1);
  harness.Ack(0, 1, 1);
  Finish(harness, 0, 1);
  CHECK(harness.core.pending_count() == 1);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
  Finish(harness, 0, 0);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  harness.Ack(1, 2);
  harness.Store(2);
  CHECK(harness.Answer(1)->id == CheckpointId{2});
}

TEST_CASE("An all-finished job takes no checkpoint", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({1, 1}));
  Finish(harness, 0);
  Finish(harness, 1);
  harness.Request(1);
  CHECK(harness.Answer(1)->reason == FailureReason::kNotAllRequiredTasksRunning);
}

TEST_CASE("One FINAL checkpoint is taken when all report the end of data, interval or not",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({2, 1}));
  EndData(harness, 0, 0);
  EndData(harness, 0, 1);
  CHECK(harness.core.pending_count() == 0);
  EndData(harness, 1);
  REQUIRE(harness.core.pending_count() == 1);
  CHECK(harness.Of<SendTrigger>()[0].barrier.options.kind == CheckpointKind::kFinal);
  EndData(harness, 1);
  CHECK(harness.core.pending_count() == 1);

  for (const auto& [vertex, subtask] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 0u}}) {
    AckFacts ack = harness.MakeAck(vertex, 1, subtask);
    ack.finished = true;
    harness.Give(ack);
  }
  const CheckpointMetadata metadata = harness.Of<WriteMetadataAndStore>()[0].metadata;
  CHECK(metadata.kind == CheckpointKind::kFinal);
  CHECK(metadata.operators[0].IsFinished());
  CHECK_FALSE(metadata.operators[0].subtasks[0].state.IsEmpty());
  harness.Store(1);
  CHECK(harness.Told<NotifyComplete>().size() == 3);
  for (const auto& [vertex, subtask] : {std::pair{0u, 0u}, {0u, 1u}, {1u, 0u}}) {
    Finish(harness, vertex, subtask);
  }
  harness.Advance(absl::Hours(1));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
}

TEST_CASE("A subtask that finished before does not hold the FINAL checkpoint up",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({2, 1}));
  EndData(harness, 0, 0);
  Finish(harness, 0, 0);
  EndData(harness, 0, 1);
  EndData(harness, 1);
  CHECK(harness.core.pending_count() == 1);
  CHECK(harness.Triggers() == std::multimap<int64_t, AttemptId>{{1, harness.Attempt(0, 1)}});
}

TEST_CASE("A FINAL checkpoint runs beside a pending one and subsumes it", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.interval = absl::Milliseconds(10);
  CoordinatorHarness harness = Running(ChainJob({1}), settings);
  harness.Advance(absl::Milliseconds(30));
  REQUIRE(harness.TriggeredIds() == std::set<int64_t>{1});
  EndData(harness, 0);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  harness.Advance(absl::Seconds(1));
  harness.Complete(2);
  harness.Advance(absl::Seconds(1));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  CHECK(harness.core.pending_count() == 0);
}

TEST_CASE("A FINAL checkpoint that fails is taken again after a while", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({1}));
  EndData(harness, 0);
  harness.Decline(0, 1);
  CHECK(harness.core.pending_count() == 0);
  CHECK(harness.IsArmed(TimerKind::kFinalRetry));
  harness.Advance(absl::Seconds(1));
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
  harness.Complete(2);
  CHECK(harness.core.latest_completed() == CheckpointId{2});
  CHECK_FALSE(harness.IsArmed(TimerKind::kFinalRetry));
}

TEST_CASE("Tasks that finish by an earlier notification leave no FINAL checkpoint hanging",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({1, 1}));
  harness.Request(1);
  EndData(harness, 0);
  EndData(harness, 1);
  harness.Complete(1);
  Finish(harness, 0);
  Finish(harness, 1);
  harness.Advance(absl::Hours(1));
  CHECK(harness.core.pending_count() == 0);
  CHECK(harness.core.queued_count() == 0);
  CHECK(harness.timers.empty());
}

TEST_CASE("After a restart the FINAL checkpoint is taken anew", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running(ChainJob({1}));
  EndData(harness, 0);
  harness.Do(harness.core.OnRestart("test", harness.now()));
  harness.Deploy();
  CHECK(harness.core.pending_count() == 0);
  EndData(harness, 0);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
}

}  // namespace
}  // namespace weir::checkpoint
