#include "taskmanager/connectors/rate_limiter.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "common/types/record_batch.h"

namespace weir::connectors {
namespace {

constexpr double kQuantumSeconds = 0.01;
constexpr double kCapacitySeconds = 0.1;

}  // namespace

RateLimiter::RateLimiter(double rows_per_second, absl::Duration now)
    : rate_(rows_per_second),
      quantum_(std::clamp(std::floor(rows_per_second * kQuantumSeconds), 1.0,
                          static_cast<double>(types::kBatchRowsMax))),
      capacity_(std::max(quantum_, rows_per_second * kCapacitySeconds)),
      refilled_at_(now) {
  WEIR_CHECK(rows_per_second > 0);
}

int64_t RateLimiter::Available(absl::Duration now) {
  if (now > refilled_at_) {
    tokens_ = std::min(capacity_, tokens_ + rate_ * absl::ToDoubleSeconds(now - refilled_at_));
    refilled_at_ = now;
  }
  if (tokens_ < quantum_) return 0;
  return static_cast<int64_t>(tokens_);
}

void RateLimiter::Take(int64_t rows) {
  tokens_ -= static_cast<double>(rows);
  WEIR_CHECK(tokens_ >= 0);
}

absl::Duration RateLimiter::NextAt() const {
  const double missing = std::max(0.0, quantum_ - tokens_);
  // One microsecond more, so that rounding never makes a caller come too early and wait again.
  return refilled_at_ + absl::Seconds(missing / rate_) + absl::Microseconds(1);
}

}  // namespace weir::connectors
