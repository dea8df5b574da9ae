#include "common/testing/manual_clock.h"

#include "common/base/check.h"

namespace weir::testing {

ManualClock::ManualClock() : wall_(absl::FromUnixSeconds(1'704'067'200)) {
}

absl::Time ManualClock::WallNow() const {
  const base::MutexLock lock(mutex_);
  return wall_;
}

absl::Duration ManualClock::SteadyNow() const {
  const base::MutexLock lock(mutex_);
  return steady_;
}

void ManualClock::Advance(absl::Duration by) {
  WEIR_CHECK(by >= absl::ZeroDuration());
  const base::MutexLock lock(mutex_);
  wall_ += by;
  steady_ += by;
}

void ManualClock::SetWall(absl::Time wall) {
  const base::MutexLock lock(mutex_);
  wall_ = wall;
}

}  // namespace weir::testing
