// Random streams through the aligner, judged by what each channel's stream says on its own.
//
// Oracle: a checkpoint that triggers must have consumed, of every channel, exactly the elements
// before its barrier there (all of a channel that closed before it); every element comes out once
// and in order; ids triggered or given up rise and are disjoint; nothing stays blocked at the end.
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/checkpoint/barrier_aligner.h"

namespace weir::checkpoint {
namespace {

enum class Kind { kRow, kBarrier, kMarker, kClose };
struct Element {
  Kind kind;
  int64_t id;
};

uint64_t SeedOf() {
  const char* const given = getenv("WEIR_TEST_SEED");
  return given == nullptr ? base::EntropySeed() : strtoull(given, nullptr, 10);
}

// Each id is, per channel, a barrier, a marker or missing; at most one of them, in rising order.
std::vector<std::deque<Element>> MakeStreams(base::Random& random, uint32_t channels, int64_t ids) {
  std::vector<std::deque<Element>> streams(channels);
  const uint64_t markers = 1 + random.Below(20);
  const uint64_t gaps = 1 + random.Below(20);
  for (auto& stream : streams) {
    const int64_t closes_after = random.OneIn(3) ? random.Between(0, ids) : ids;
    for (int64_t id = 1; id <= closes_after; ++id) {
      for (uint64_t rows = random.Below(4); rows > 0; --rows) stream.push_back({Kind::kRow, 0});
      if (random.OneIn(markers + 2)) {
        stream.push_back({Kind::kMarker, id});
      } else if (!random.OneIn(gaps + 2)) {
        stream.push_back({Kind::kBarrier, id});
      }
    }
    stream.push_back({Kind::kClose, 0});
  }
  return streams;
}

class AlignerRun {
 public:
  AlignerRun(base::Random& random, std::vector<std::deque<Element>> streams)
      : random_(random),
        streams_(std::move(streams)),
        consumed_(streams_.size(), 0),
        aligner_(static_cast<uint32_t>(streams_.size())) {
    for (const auto& stream : streams_) original_.emplace_back(stream.begin(), stream.end());
  }

  void Run() {
    std::vector<uint32_t> open = Poppable();
    while (!open.empty()) {
      Step(open[random_.Below(open.size())]);
      if (random_.OneIn(50)) {
        const CheckpointId aborted{random_.Between(1, 60)};
        notified_.insert(ToInt(aborted));
        Take(aligner_.OnAbortNotification(aborted));
      }
      open = Poppable();
    }
    for (size_t c = 0; c < streams_.size(); ++c) {
      CHECK(streams_[c].empty());
      CHECK_FALSE(aligner_.IsBlocked(static_cast<uint32_t>(c)));
    }
    CHECK_FALSE(aligner_.IsAligning());
  }

  size_t triggered_count() const { return triggered_.size(); }

 private:
  std::vector<uint32_t> Poppable() const {
    std::vector<uint32_t> open;
    for (uint32_t c = 0; c < streams_.size(); ++c) {
      if (!streams_[c].empty() && !aligner_.IsBlocked(c)) open.push_back(c);
    }
    return open;
  }

  void Step(uint32_t channel) {
    const Element element = streams_[channel].front();
    streams_[channel].pop_front();
    ++consumed_[channel];
    absl::StatusOr<AlignerDecisions> decisions = AlignerDecisions{};
    Barrier barrier;
    barrier.id = CheckpointId{element.id};
    switch (element.kind) {
      case Kind::kRow:
        break;
      case Kind::kBarrier:
        decisions = aligner_.OnBarrier(channel, barrier);
        break;
      case Kind::kMarker:
        decisions = aligner_.OnCancelMarker(channel, barrier.id);
        break;
      case Kind::kClose:
        decisions = aligner_.OnChannelClosed(channel);
        break;
    }
    REQUIRE(decisions.ok());
    Take(*decisions);
  }

  void Take(const AlignerDecisions& decisions) {
    for (const AlignerDecision& decision : decisions) {
      if (const auto* trigger = std::get_if<TriggerCheckpoint>(&decision)) {
        JudgeTrigger(ToInt(trigger->barrier.id));
      } else if (const auto* given_up = std::get_if<GiveUpCheckpoint>(&decision)) {
        Judge(ToInt(given_up->id));
      }
    }
  }

  void Judge(int64_t id) {
    CHECK(id > highest_ended_);
    highest_ended_ = id;
  }

  void JudgeTrigger(int64_t id) {
    Judge(id);
    CHECK_FALSE(notified_.contains(id));
    triggered_.insert(id);
    for (size_t c = 0; c < original_.size(); ++c) {
      INFO("channel " << c << " at the trigger of " << id);
      const std::vector<Element>& stream = original_[c];
      REQUIRE(consumed_[c] > 0);
      const Element& last = stream[consumed_[c] - 1];
      const bool at_barrier = last.kind == Kind::kBarrier && last.id == id;
      const bool closed = last.kind == Kind::kClose;
      CHECK((at_barrier || closed));
    }
  }

  base::Random& random_;
  std::vector<std::vector<Element>> original_;
  std::vector<std::deque<Element>> streams_;
  std::vector<size_t> consumed_;
  BarrierAligner aligner_;
  int64_t highest_ended_ = 0;
  std::set<int64_t> triggered_;
  std::set<int64_t> notified_;
};

TEST_CASE("BarrierAligner never mixes rows of two checkpoints, whatever arrives",
          "[checkpoint][unit]") {
  const uint64_t seed = SeedOf();
  CAPTURE(seed);
  base::Random random(seed);
  size_t triggered = 0;
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    const auto channels = static_cast<uint32_t>(random.Between(1, 6));
    AlignerRun run(random, MakeStreams(random, channels, random.Between(1, 30)));
    run.Run();
    triggered += run.triggered_count();
  }
  CHECK(triggered > 1000);
}

TEST_CASE("Clean streams trigger every checkpoint", "[checkpoint][unit]") {
  const uint64_t seed = SeedOf();
  CAPTURE(seed);
  base::Random random(seed);
  std::vector<std::deque<Element>> streams(3);
  for (auto& stream : streams) {
    for (int64_t id = 1; id <= 1000; ++id) {
      for (uint64_t rows = random.Below(9); rows > 0; --rows) stream.push_back({Kind::kRow, 0});
      stream.push_back({Kind::kBarrier, id});
    }
  }
  BarrierAligner aligner(3);
  std::vector<int64_t> triggered;
  while (triggered.size() < 1000) {
    const auto channel = static_cast<uint32_t>(random.Below(3));
    if (aligner.IsBlocked(channel) || streams[channel].empty()) continue;
    const Element element = streams[channel].front();
    streams[channel].pop_front();
    if (element.kind == Kind::kRow) continue;
    Barrier barrier;
    barrier.id = CheckpointId{element.id};
    const auto decisions = aligner.OnBarrier(channel, barrier);
    REQUIRE(decisions.ok());
    for (const AlignerDecision& decision : *decisions) {
      const auto* trigger = std::get_if<TriggerCheckpoint>(&decision);
      if (trigger != nullptr) triggered.push_back(ToInt(trigger->barrier.id));
    }
  }
  for (int64_t id = 1; id <= 1000; ++id) REQUIRE(triggered[static_cast<size_t>(id - 1)] == id);
}

}  // namespace
}  // namespace weir::checkpoint
