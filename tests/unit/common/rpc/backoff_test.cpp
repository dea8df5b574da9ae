// What must hold: pauses grow from the first to the longest and no further, vary by the jitter, and
// begin anew after a success. Silence and epochs are counted, not timed.
#include "common/rpc/backoff.h"

#include <vector>

#include <catch2/catch.hpp>

#include "common/rpc/epoch_fence.h"
#include "common/rpc/silence_counter.h"

namespace weir::rpc {
namespace {

constexpr BackoffOptions kOptions{
    .initial = absl::Milliseconds(100), .max = absl::Seconds(2), .multiplier = 1.5, .jitter = 0.1};

TEST_CASE("Backoff doubles up to its limit without jitter", "[rpc][unit]") {
  BackoffOptions options = kOptions;
  options.multiplier = 2;
  options.jitter = 0;
  options.max = absl::Milliseconds(700);
  Backoff backoff(options, /*seed=*/1);
  CHECK(backoff.Next() == absl::Milliseconds(100));
  CHECK(backoff.Next() == absl::Milliseconds(200));
  CHECK(backoff.Next() == absl::Milliseconds(400));
  CHECK(backoff.Next() == absl::Milliseconds(700));
  CHECK(backoff.Next() == absl::Milliseconds(700));
  backoff.Reset();
  CHECK(backoff.Next() == absl::Milliseconds(100));
}

TEST_CASE("Backoff stays within its jitter and uses all of it", "[rpc][unit]") {
  Backoff backoff(kOptions, /*seed=*/7);
  absl::Duration low = absl::InfiniteDuration();
  absl::Duration high;
  for (int i = 0; i < 1000; ++i) {
    backoff.Reset();
    const absl::Duration delay = backoff.Next();
    low = std::min(low, delay);
    high = std::max(high, delay);
  }
  CHECK(low >= absl::Milliseconds(90));
  CHECK(low < absl::Milliseconds(92));
  CHECK(high <= absl::Milliseconds(110));
  CHECK(high > absl::Milliseconds(108));
}

TEST_CASE("Backoff repeats itself for one seed and not for another", "[rpc][unit]") {
  const auto delays = [](uint64_t seed) {
    Backoff backoff(kOptions, seed);
    std::vector<absl::Duration> all;
    for (int i = 0; i < 10; ++i) all.push_back(backoff.Next());
    return all;
  };
  CHECK(delays(3) == delays(3));
  CHECK(delays(3) != delays(4));
}

TEST_CASE("SilenceCounter reports the last tick of a full silence", "[rpc][unit]") {
  SilenceCounter silence(3);
  CHECK_FALSE(silence.Tick());
  CHECK_FALSE(silence.Tick());
  silence.Heard();
  CHECK_FALSE(silence.Tick());
  CHECK_FALSE(silence.Tick());
  CHECK(silence.Tick());
}

TEST_CASE("EpochFence admits the highest epoch and refuses a lower one", "[rpc][unit]") {
  EpochFence fence;
  constexpr ClusterId kCluster{1, 1};
  CHECK(fence.Admit(kCluster, 5).ok());
  CHECK(fence.Admit(kCluster, 5).ok());
  const absl::Status lower = fence.Admit(kCluster, 4);
  CHECK(absl::IsAborted(lower));
  CHECK(lower.message() ==
        "epoch 4 is over: a jobmanager with epoch 5 is in charge (if high-availability.storage-dir "
        "was put back from a copy, restart the taskmanagers)");
  CHECK(fence.Admit(kCluster, 6).ok());
  CHECK(absl::IsAborted(fence.Admit(kCluster, 5)));
}

TEST_CASE("EpochFence compares epochs of one cluster only", "[rpc][unit]") {
  EpochFence fence;
  constexpr ClusterId kCluster{1, 1};
  constexpr ClusterId kOther{2, 1};
  CHECK(fence.Admit(kCluster, 5).ok());
  CHECK(fence.Admit(kOther, 1).ok());
  // Nor does it forget the first one by that.
  CHECK(absl::IsAborted(fence.Admit(kCluster, 4)));
  CHECK(fence.Admit(kOther, 2).ok());
  CHECK(absl::IsAborted(fence.Admit(kOther, 1)));
}

}  // namespace
}  // namespace weir::rpc
