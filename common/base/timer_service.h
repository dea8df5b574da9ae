// TimerService: one-shot timers on some thread's loop. Implemented by the real loop in
// common/rpc and on virtual time in common/testing.
#pragma once

#include <cstdint>

#include <absl/functional/any_invocable.h>
#include <absl/time/time.h>

namespace weir::base {

enum class TimerId : uint64_t {};

// Thread: confined to the loop's thread; callbacks run there, one at a time.
class TimerService {
 public:
  virtual ~TimerService() = default;
  // Runs `callback` once after `delay` (at once on the next turn if not positive).
  virtual TimerId RunAfter(absl::Duration delay, absl::AnyInvocable<void()> callback) = 0;
  // The callback will not run after this returns. An unknown or fired id is ignored.
  virtual void Cancel(TimerId id) = 0;
};

}  // namespace weir::base
