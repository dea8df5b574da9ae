// ManualClock: a clock that moves only when told.
#pragma once

#include <absl/base/thread_annotations.h>
#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace weir::testing {

// Thread: any.
class ManualClock final : public base::Clock {
 public:
  // Starts at 2024-01-01 UTC, steady time zero.
  ManualClock();

  absl::Time WallNow() const override;
  absl::Duration SteadyNow() const override;
  // Both times move. REQUIRES: not negative.
  void Advance(absl::Duration by);
  // Wall time alone jumps, as when someone sets the machine's clock.
  void SetWall(absl::Time wall);

 private:
  mutable base::Mutex mutex_;
  absl::Time wall_ ABSL_GUARDED_BY(mutex_);
  absl::Duration steady_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::testing
