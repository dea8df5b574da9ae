// Clock: the only source of time. Decisions take a Clock so that tests and simulation drive it.
#pragma once

#include <absl/time/time.h>

namespace weir::base {

// Thread: all methods from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time: for names, logs and people. May jump.
  virtual absl::Time WallNow() const = 0;
  // Time since an arbitrary start that never goes back: for intervals and deadlines.
  virtual absl::Duration SteadyNow() const = 0;
};

// The system's clocks. Lives for the whole process.
const Clock& SystemClock();

}  // namespace weir::base
