// LoopDriver: runs a control loop until something has come true.
#pragma once

#include <functional>

#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/rpc/control_loop.h"

namespace weir {

// Longest a test waits for what must come; on a loaded machine much less is normal.
inline constexpr absl::Duration kPatience = absl::Seconds(60);

// Thread: the loop's.
class LoopDriver {
 public:
  explicit LoopDriver(rpc::ControlLoop& loop) : loop_(loop) {}

  // False: it has not come true in time.
  bool RunUntil(const std::function<bool()>& condition, absl::Duration patience = kPatience) {
    const absl::Duration deadline = base::SystemClock().SteadyNow() + patience;
    while (!condition()) {
      if (base::SystemClock().SteadyNow() > deadline) return false;
      loop_.RunAfter(absl::Milliseconds(1), [this] { loop_.Stop(); });
      loop_.Run();
    }
    return true;
  }
  // Lets everything happen that happens within `time`: for what must not come.
  void RunFor(absl::Duration time) {
    loop_.RunAfter(time, [this] { loop_.Stop(); });
    loop_.Run();
  }

 private:
  rpc::ControlLoop& loop_;
};

}  // namespace weir
