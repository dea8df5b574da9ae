// Backoff: how long to wait before the next try, so that many who wait do not come at once.
#pragma once

#include <absl/time/time.h>

#include "common/base/random.h"

namespace weir::rpc {

struct BackoffOptions {
  absl::Duration initial = absl::Milliseconds(100);
  absl::Duration max = absl::Seconds(5);
  double multiplier = 1.5;
  double jitter = 0.1;  // a delay varies by this share of itself, both ways
};

// Pure but for the seed. Thread: confined to one thread.
// Invariant: every delay lies in [initial * (1 - jitter), max * (1 + jitter)].
class Backoff {
 public:
  // REQUIRES: 0 < initial <= max, multiplier >= 1, 0 <= jitter < 1.
  Backoff(const BackoffOptions& options, uint64_t seed);

  // The delay before the next try; the one after it is longer.
  absl::Duration Next();
  // A try has succeeded: the next delay is the first one again.
  void Reset() { base_ = options_.initial; }

 private:
  const BackoffOptions options_;
  base::Random random_;
  absl::Duration base_;
};

}  // namespace weir::rpc
