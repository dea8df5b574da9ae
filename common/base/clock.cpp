#include "common/base/clock.h"

#include <chrono>

#include <absl/time/clock.h>

namespace weir::base {
namespace {

class RealClock final : public Clock {
 public:
  absl::Time WallNow() const override { return absl::Now(); }
  absl::Duration SteadyNow() const override {
    return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& SystemClock() {
  static const RealClock clock;
  return clock;
}

}  // namespace weir::base
