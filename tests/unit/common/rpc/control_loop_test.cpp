// What must hold: mails, timers and signals run on the loop's thread, timers in order of their
// deadlines, and nothing runs after it was cancelled.
#include "common/rpc/control_loop.h"

#include <signal.h>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/thread.h"

namespace weir::rpc {
namespace {

TEST_CASE("ControlLoop runs mails of another thread", "[rpc][unit][threads]") {
  ControlLoop loop;
  int received = 0;
  base::Thread sender("sender", [&loop, &received] {
    for (int i = 0; i < 1000; ++i) {
      loop.mailbox().PostControl([&loop, &received] {
        if (++received == 1000) loop.Stop();
      });
    }
  });
  loop.Run();
  CHECK(received == 1000);
}

TEST_CASE("ControlLoop fires timers in order of their deadlines", "[rpc][unit]") {
  ControlLoop loop;
  std::vector<int> fired;
  loop.RunAfter(absl::Milliseconds(30), [&] {
    fired.push_back(3);
    loop.Stop();
  });
  loop.RunAfter(absl::Milliseconds(2), [&] { fired.push_back(1); });
  loop.RunAfter(absl::Milliseconds(10), [&] { fired.push_back(2); });
  loop.Run();
  CHECK(fired == std::vector<int>{1, 2, 3});
}

TEST_CASE("ControlLoop never runs a cancelled timer", "[rpc][unit]") {
  ControlLoop loop;
  bool cancelled_ran = false;
  const base::TimerId cancelled =
      loop.RunAfter(absl::Milliseconds(1), [&] { cancelled_ran = true; });
  loop.Cancel(cancelled);
  loop.RunAfter(absl::Milliseconds(5), [&] { loop.Stop(); });
  loop.Run();
  CHECK_FALSE(cancelled_ran);
}

TEST_CASE("ControlLoop lets a timer add and cancel timers", "[rpc][unit]") {
  ControlLoop loop;
  int ticks = 0;
  base::TimerId doomed{0};
  absl::AnyInvocable<void()> tick = [&] {
    loop.Cancel(doomed);
    if (++ticks == 20) loop.Stop();
  };
  for (int i = 0; i < 20; ++i) loop.RunAfter(absl::Milliseconds(i), [&] { tick(); });
  doomed = loop.RunAfter(absl::Milliseconds(1), [&] { FAIL("cancelled by the first tick"); });
  loop.Run();
  CHECK(ticks == 20);
}

TEST_CASE("ControlLoop reports a signal and goes on", "[rpc][unit]") {
  ControlLoop loop;
  int signals = 0;
  REQUIRE(loop.WatchSignal(SIGUSR1,
                           [&] {
                             if (++signals == 2) return loop.Stop();
                             kill(getpid(), SIGUSR1);
                           })
              .ok());
  loop.RunAfter(absl::ZeroDuration(), [] { kill(getpid(), SIGUSR1); });
  loop.Run();
  CHECK(signals == 2);
}

}  // namespace
}  // namespace weir::rpc
