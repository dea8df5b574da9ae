#include "common/checkpoint/barrier_aligner.h"

#include <vector>

#include <catch2/catch.hpp>

namespace weir::checkpoint {
namespace {

Barrier B(int64_t id) {
  Barrier barrier;
  barrier.id = CheckpointId{id};
  return barrier;
}

// Carries out decisions: keeps what was triggered (positive ids) and given up (negative).
struct Play {
  explicit Play(uint32_t channels, int64_t limit = kAlignmentBytesUnlimited)
      : aligner(channels, limit) {}

  void Take(const AlignerDecisions& decisions) {
    for (const AlignerDecision& decision : decisions) {
      if (const auto* trigger = std::get_if<TriggerCheckpoint>(&decision)) {
        events.push_back(ToInt(trigger->barrier.id));
      } else if (const auto* given_up = std::get_if<GiveUpCheckpoint>(&decision)) {
        events.push_back(-ToInt(given_up->id));
        reasons.push_back(given_up->reason);
      }
    }
    last = decisions;
  }
  void Barrier(uint32_t channel, int64_t id) {
    const auto decisions = aligner.OnBarrier(channel, B(id));
    REQUIRE(decisions.ok());
    Take(*decisions);
  }
  void Cancel(uint32_t channel, int64_t id) {
    const auto decisions = aligner.OnCancelMarker(channel, CheckpointId{id});
    REQUIRE(decisions.ok());
    Take(*decisions);
  }
  void Close(uint32_t channel) {
    const auto decisions = aligner.OnChannelClosed(channel);
    REQUIRE(decisions.ok());
    Take(*decisions);
  }
  bool AnyBlocked() const {
    for (uint32_t c = 0; c < aligner.channel_count(); ++c) {
      if (aligner.IsBlocked(c)) return true;
    }
    return false;
  }

  BarrierAligner aligner;
  std::vector<int64_t> events;
  std::vector<FailureReason> reasons;
  AlignerDecisions last;
};

using Events = std::vector<int64_t>;

TEST_CASE("With one channel each higher barrier triggers at once", "[checkpoint][unit]") {
  Play play(1);
  for (int64_t id = 1; id <= 6; ++id) {
    play.Barrier(0, id);
    CHECK(play.last == AlignerDecisions{TriggerCheckpoint{B(id)}});
    CHECK_FALSE(play.aligner.IsAligning());
  }
  play.Barrier(0, 6);
  play.Barrier(0, 3);
  CHECK(play.events == Events{1, 2, 3, 4, 5, 6});
}

TEST_CASE("Channels block until the last barrier, unblock, and then it triggers",
          "[checkpoint][unit]") {
  Play play(3);
  play.Barrier(1, 1);
  CHECK(play.last == AlignerDecisions{BlockChannel{1}});
  CHECK(play.aligner.aligning_id() == CheckpointId{1});
  play.Barrier(2, 1);
  CHECK(play.last == AlignerDecisions{BlockChannel{2}});
  CHECK_FALSE(play.aligner.IsBlocked(0));
  play.Barrier(0, 1);
  CHECK(play.last == AlignerDecisions{UnblockAllChannels{}, TriggerCheckpoint{B(1)}});
  CHECK_FALSE(play.AnyBlocked());
  for (int64_t id = 2; id <= 4; ++id) {
    for (uint32_t c = 0; c < 3; ++c) play.Barrier((c + static_cast<uint32_t>(id)) % 3, id);
    CHECK_FALSE(play.AnyBlocked());
  }
  CHECK(play.events == Events{1, 2, 3, 4});
}

TEST_CASE("A higher barrier subsumes the alignment under way", "[checkpoint][unit]") {
  Play play(2);
  play.Barrier(0, 1);
  play.Barrier(1, 2);
  CHECK(play.last == AlignerDecisions{UnblockAllChannels{},
                                      GiveUpCheckpoint{CheckpointId{1}, FailureReason::kSubsumed},
                                      BlockChannel{1}});
  CHECK(play.aligner.aligning_id() == CheckpointId{2});
  play.Barrier(0, 2);
  CHECK(play.events == Events{-1, 2});
}

TEST_CASE("Lower barriers are ignored in and outside an alignment", "[checkpoint][unit]") {
  Play play(3);
  play.Barrier(0, 5);
  play.Barrier(1, 4);
  CHECK(play.last.empty());
  CHECK_FALSE(play.aligner.IsBlocked(1));
  play.Barrier(1, 5);
  play.Barrier(2, 5);
  play.Barrier(2, 5);
  play.Barrier(2, 4);
  CHECK(play.events == Events{5});
}

TEST_CASE("A second equal barrier on one channel is a corrupt stream", "[checkpoint][unit]") {
  Play play(2);
  play.Barrier(0, 1);
  const auto second = play.aligner.OnBarrier(0, B(1));
  CHECK(second.status().code() == absl::StatusCode::kInternal);
  CHECK(second.status().message().find("channel 0") != absl::string_view::npos);
  CHECK_FALSE(play.aligner.OnCancelMarker(0, CheckpointId{1}).ok());
  CHECK_FALSE(play.aligner.OnChannelClosed(0).ok());
}

TEST_CASE("Single channel: markers abort ids whose barriers never come", "[checkpoint][unit]") {
  Play play(1);
  play.Barrier(0, 1);
  play.Barrier(0, 2);
  play.Cancel(0, 4);
  play.Barrier(0, 5);
  play.Cancel(0, 6);
  CHECK(play.events == Events{1, 2, -4, 5, -6});
  CHECK(play.reasons == std::vector<FailureReason>(2, FailureReason::kCancellationMarker));
}

TEST_CASE("A marker releases its alignment and late barriers of it are ignored",
          "[checkpoint][unit]") {
  Play play(3);
  play.Barrier(1, 1);
  play.Cancel(0, 1);
  CHECK(play.last ==
        AlignerDecisions{UnblockAllChannels{},
                         GiveUpCheckpoint{CheckpointId{1}, FailureReason::kCancellationMarker}});
  play.Barrier(1, 2);
  play.Barrier(2, 1);
  CHECK(play.last.empty());
  CHECK_FALSE(play.aligner.IsBlocked(2));
  play.Barrier(0, 2);
  play.Barrier(2, 2);
  CHECK(play.events == Events{-1, 2});
}

TEST_CASE("A marker is given up once however many channels bring it", "[checkpoint][unit]") {
  Play play(3);
  for (uint32_t c = 0; c < 3; ++c) play.Cancel(c, 1);
  CHECK(play.events == Events{-1});
}

TEST_CASE("A marker of a higher id ends a lower alignment too", "[checkpoint][unit]") {
  Play play(2);
  play.Barrier(0, 1);
  play.Cancel(1, 2);
  CHECK(play.events == Events{-1, -2});
  CHECK(play.reasons ==
        std::vector<FailureReason>{FailureReason::kSubsumed, FailureReason::kCancellationMarker});
  CHECK_FALSE(play.AnyBlocked());
  play.Barrier(0, 2);
  CHECK(play.last.empty());
}

TEST_CASE("The cancellation matrix", "[checkpoint][unit]") {
  // Two channels; positive = barrier, negative = marker, all events on alternating channels.
  const auto run = [](int64_t first, int64_t second) {
    Play play(2);
    first > 0 ? play.Barrier(0, first) : play.Cancel(0, -first);
    second > 0 ? play.Barrier(1, second) : play.Cancel(1, -second);
    return play.events;
  };
  CHECK(run(-10, -20) == Events{-10, -20});
  CHECK(run(-20, -10) == Events{-20});
  CHECK(run(-10, 10) == Events{-10});
  CHECK(run(-20, 10) == Events{-20});
  CHECK(run(10, 10) == Events{10});
  CHECK(run(10, 20) == Events{-10});
  CHECK(run(20, 10).empty());
  CHECK(run(10, -10) == Events{-10});
  CHECK(run(10, -20) == Events{-10, -20});
  CHECK(run(20, -10).empty());
}

TEST_CASE("Closed channels are not awaited", "[checkpoint][unit]") {
  Play play(3);
  play.Close(2);
  play.Barrier(0, 1);
  play.Barrier(1, 1);
  CHECK(play.events == Events{1});
  play.Close(1);
  play.Barrier(0, 2);
  CHECK(play.last == AlignerDecisions{TriggerCheckpoint{B(2)}});
}

TEST_CASE("The end of the last awaited channel completes an alignment", "[checkpoint][unit]") {
  Play play(3);
  play.Barrier(0, 1);
  play.Barrier(1, 1);
  play.Close(2);
  CHECK(play.last == AlignerDecisions{UnblockAllChannels{}, TriggerCheckpoint{B(1)}});
  play.Barrier(0, 6);
  play.Barrier(1, 6);
  play.Close(1);
  play.Barrier(0, 7);
  CHECK(play.events == Events{1, 6, 7});
}

TEST_CASE("After all input has ended nothing triggers", "[checkpoint][unit]") {
  Play play(2);
  play.Close(0);
  play.Close(1);
  play.Close(1);
  play.Barrier(0, 1);
  CHECK(play.events.empty());
}

TEST_CASE("An abort notification releases quietly and later barriers are ignored",
          "[checkpoint][unit]") {
  Play play(2);
  play.Barrier(0, 1);
  play.Take(play.aligner.OnAbortNotification(CheckpointId{1}));
  CHECK(play.last == AlignerDecisions{UnblockAllChannels{}});
  play.Barrier(1, 1);
  CHECK(play.last.empty());
  CHECK(play.events.empty());
}

TEST_CASE("An abort ahead of the barriers makes them pass unseen", "[checkpoint][unit]") {
  Play play(2);
  play.Take(play.aligner.OnAbortNotification(CheckpointId{2}));
  play.Barrier(0, 1);
  play.Barrier(1, 1);
  play.Barrier(0, 2);
  CHECK_FALSE(play.aligner.IsBlocked(0));
  play.Barrier(1, 2);
  play.Barrier(0, 3);
  play.Barrier(1, 3);
  CHECK(play.events == Events{1, 3});
}

TEST_CASE("The barrier of an aborted id still ends a lower alignment it overtook",
          "[checkpoint][unit]") {
  Play play(2);
  play.Barrier(0, 1);
  play.Take(play.aligner.OnAbortNotification(CheckpointId{2}));
  play.Barrier(1, 2);
  CHECK(play.events == Events{-1});
  CHECK_FALSE(play.AnyBlocked());
}

TEST_CASE("An abort of what has triggered changes nothing", "[checkpoint][unit]") {
  Play play(1);
  play.Barrier(0, 3);
  CHECK(play.aligner.OnAbortNotification(CheckpointId{3}).empty());
  CHECK(play.aligner.OnAbortNotification(CheckpointId{1}).empty());
  play.Barrier(0, 4);
  CHECK(play.events == Events{3, 4});
}

TEST_CASE("Too many bytes in blocked channels give the checkpoint up", "[checkpoint][unit]") {
  Play play(2, /*limit=*/1000);
  CHECK(play.aligner.OnAlignmentBytes(5000).empty());
  play.Barrier(0, 1);
  CHECK(play.aligner.OnAlignmentBytes(1000).empty());
  play.Take(play.aligner.OnAlignmentBytes(1001));
  CHECK(play.events == Events{-1});
  CHECK(play.reasons[0] == FailureReason::kAlignmentLimitExceeded);
  CHECK_FALSE(play.AnyBlocked());
  play.Barrier(1, 1);
  CHECK(play.last.empty());
}

}  // namespace
}  // namespace weir::checkpoint
