// VirtualTimers: a TimerService on a ManualClock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <absl/functional/any_invocable.h>
#include <absl/time/time.h>

#include "common/base/timer_service.h"
#include "common/testing/manual_clock.h"

namespace weir::testing {

// Thread: one, which plays the loop.
class VirtualTimers final : public base::TimerService {
 public:
  // `clock` outlives the timers; only AdvanceBy() moves it.
  explicit VirtualTimers(ManualClock& clock) : clock_(clock) {}

  base::TimerId RunAfter(absl::Duration delay, absl::AnyInvocable<void()> callback) override;
  void Cancel(base::TimerId id) override;

  // Moves the clock by `by`, stopping at every timer that is due on the way, in order of time and
  // then of arming. A callback may arm and cancel timers.
  void AdvanceBy(absl::Duration by);
  // Moves to the next timer and runs it. False: none is armed.
  bool RunNext();
  size_t armed_count() const { return timers_.size(); }

 private:
  using Key = std::pair<absl::Duration, uint64_t>;

  void FireFirst();

  ManualClock& clock_;
  uint64_t next_id_ = 1;
  std::map<Key, absl::AnyInvocable<void()>> timers_;
};

}  // namespace weir::testing
