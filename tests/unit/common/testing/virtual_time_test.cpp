#include <vector>

#include <catch2/catch.hpp>

#include "common/testing/manual_clock.h"
#include "common/testing/manual_executor.h"
#include "common/testing/virtual_timers.h"

namespace weir::testing {
namespace {

TEST_CASE("VirtualTimers fire in order of time, then of arming", "[testing][unit]") {
  ManualClock clock;
  VirtualTimers timers(clock);
  std::vector<int> fired;
  timers.RunAfter(absl::Seconds(2), [&fired] { fired.push_back(3); });
  timers.RunAfter(absl::Seconds(1), [&fired] { fired.push_back(1); });
  timers.RunAfter(absl::Seconds(1), [&fired] { fired.push_back(2); });

  timers.AdvanceBy(absl::Seconds(1));
  CHECK(fired == std::vector<int>{1, 2});
  timers.AdvanceBy(absl::Seconds(5));
  CHECK(fired == std::vector<int>{1, 2, 3});
  CHECK(clock.SteadyNow() == absl::Seconds(6));
}

TEST_CASE("VirtualTimers fire what a callback arms on the way", "[testing][unit]") {
  ManualClock clock;
  VirtualTimers timers(clock);
  std::vector<absl::Duration> fired;
  timers.RunAfter(absl::Seconds(1), [&] {
    fired.push_back(clock.SteadyNow());
    timers.RunAfter(absl::Seconds(1), [&] { fired.push_back(clock.SteadyNow()); });
  });
  timers.AdvanceBy(absl::Seconds(3));
  CHECK(fired == std::vector<absl::Duration>{absl::Seconds(1), absl::Seconds(2)});
}

TEST_CASE("A cancelled timer does not fire", "[testing][unit]") {
  ManualClock clock;
  VirtualTimers timers(clock);
  bool fired = false;
  const base::TimerId id = timers.RunAfter(absl::Seconds(1), [&fired] { fired = true; });
  timers.Cancel(id);
  timers.Cancel(id);
  CHECK_FALSE(timers.RunNext());
  CHECK_FALSE(fired);
}

TEST_CASE("ManualExecutor runs what work adds", "[testing][unit]") {
  ManualExecutor executor;
  int ran = 0;
  executor.Run([&] {
    ++ran;
    executor.Run([&ran] { ++ran; });
  });
  CHECK(ran == 0);
  CHECK(executor.RunAll() == 2);
  CHECK(ran == 2);
}

}  // namespace
}  // namespace weir::testing
