#include "common/rpc/backoff.h"

#include <algorithm>

#include "common/base/check.h"

namespace weir::rpc {

Backoff::Backoff(const BackoffOptions& options, uint64_t seed)
    : options_(options), random_(seed), base_(options.initial) {
  WEIR_CHECK(options.initial > absl::ZeroDuration() && options.initial <= options.max);
  WEIR_CHECK(options.multiplier >= 1);
  WEIR_CHECK(options.jitter >= 0 && options.jitter < 1);
}

absl::Duration Backoff::Next() {
  const absl::Duration delay = base_ * (1 + options_.jitter * (2 * random_.Fraction() - 1));
  base_ = std::min(base_ * options_.multiplier, options_.max);
  return delay;
}

}  // namespace weir::rpc
