// Storing a fully acknowledged checkpoint: stored, refused, unknown; savepoints and stops.
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

TEST_CASE("What is being stored cannot be declined, expired or subsumed", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1}, Concurrent(2));
  harness.Request(1);
  harness.AckAll(1);
  harness.Request(2);
  harness.Complete(2);
  harness.Decline(0, 1);
  harness.Advance(absl::Hours(1));
  harness.Do(harness.core.OnTimer(TimerKind::kExpiry, CheckpointId{1}, harness.now()));
  CHECK(harness.core.pending_count() == 1);
  harness.Store(1);
  CHECK(harness.Answer(1)->status.ok());
  CHECK(harness.core.latest_completed() == CheckpointId{2});
}

TEST_CASE("A refused store aborts and notifies nobody", "[checkpoint][unit]") {
  CoordinatorSettings settings;
  settings.tolerable_failures = 0;
  CoordinatorHarness harness = Running({1}, settings);
  harness.Request(1);
  harness.AckAll(1);
  harness.Store(1, StoreOutcome::kRefused);
  CHECK(harness.Count<NotifyComplete>() == 0);
  CHECK(harness.Count<RemoveLocation>() == 1);
  CHECK(harness.Answer(1)->reason == FailureReason::kFinalizeFailure);
  CHECK(harness.Count<FailJob>() == 1);
  CHECK(harness.core.history().counts().failed == 1);
}

TEST_CASE("An unknown store result deletes nothing, triggers nothing, and is read back",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1}, Concurrent(3));
  harness.Request(1);
  harness.AckAll(1);
  harness.Store(1, StoreOutcome::kUnknown);
  CHECK(harness.Count<ReadStoreBack>() == 1);
  harness.Request(2);
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1});
  harness.Store(1, StoreOutcome::kUnknown);
  CHECK(harness.Count<ReadStoreBack>() == 1);
  harness.Advance(absl::Seconds(2));
  CHECK(harness.Count<ReadStoreBack>() == 2);
  CHECK(harness.Count<RemoveLocation>() == 0);
  CHECK(harness.Count<NotifyComplete>() == 0);

  SECTION("it was stored") {
    harness.Store(1, StoreOutcome::kStored);
    CHECK(harness.Count<NotifyComplete>() == 1);
  }
  SECTION("it was not") {
    harness.Store(1, StoreOutcome::kRefused);
    CHECK(harness.Count<RemoveLocation>() == 1);
    CHECK(harness.Count<NotifyComplete>() == 0);
  }
  CHECK(harness.TriggeredIds() == std::set<int64_t>{1, 2});
}

TEST_CASE("A store that stays silent costs the leadership and no file", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Request(1);
  harness.AckAll(1);
  for (int i = 0; i < 20 && harness.Count<GiveUpLeadership>() == 0; ++i) {
    harness.Store(1, StoreOutcome::kUnknown);
    harness.Advance(absl::Seconds(1));
  }
  CHECK(harness.Count<GiveUpLeadership>() == 1);
  CHECK(harness.Count<RemoveLocation>() == 0);
  CHECK(harness.Ack(0, 1) == AckResult::kRefused);
}

TEST_CASE("A savepoint of a job that goes on enters no store and notifies nobody",
          "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1}, Concurrent(3));
  harness.Request(1);
  harness.Request(2, CheckpointKind::kSavepoint);
  harness.Request(3);
  harness.Complete(3);
  CHECK(harness.core.pending_count() == 1);
  harness.AckAll(2);
  CHECK_FALSE(harness.Of<WriteMetadataAndStore>().back().enters_store);
  harness.Store(2);
  CHECK(harness.Answer(2)->status.ok());
  CHECK(harness.core.latest_completed() == CheckpointId{3});
  CHECK(harness.Told<NotifyComplete>() == Told{{harness.Attempt(0), 3}});
  CHECK(harness.Answer(1)->reason == FailureReason::kSubsumed);
}

TEST_CASE("The savepoint of a stop enters the store and is notified", "[checkpoint][unit]") {
  CoordinatorHarness harness = Running({1});
  harness.Request(1, CheckpointKind::kStop);
  harness.Complete(1);
  CHECK(harness.Of<WriteMetadataAndStore>()[0].enters_store);
  CHECK(harness.Told<NotifyComplete>() == Told{{harness.Attempt(0), 1}});
  CHECK(harness.core.latest_completed() == CheckpointId{1});
}

}  // namespace
}  // namespace weir::checkpoint
