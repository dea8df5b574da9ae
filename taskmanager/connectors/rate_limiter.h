// RateLimiter: a token bucket that lets rows go at a steady rate.
// Pure: time is given to it.
#pragma once

#include <cstdint>

#include <absl/time/time.h>

namespace weir::connectors {

// Thread: confined to one thread.
class RateLimiter {
 public:
  // REQUIRES: rows_per_second > 0. Nothing may go at `now` itself.
  RateLimiter(double rows_per_second, absl::Duration now);

  // Rows that may go now: 0, or at least what about 10 ms bring, so that batches are not tiny.
  int64_t Available(absl::Duration now);
  // REQUIRES: rows <= what Available() gave last.
  void Take(int64_t rows);
  // When Available() is above 0 again.
  absl::Duration NextAt() const;

 private:
  const double rate_;
  const double quantum_;   // rows that go together
  const double capacity_;  // most rows saved up while nobody asked
  double tokens_ = 0;
  absl::Duration refilled_at_;
};

}  // namespace weir::connectors
