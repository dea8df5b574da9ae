#include "jobmanager/job/restart_strategy.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"

namespace weir::job {

ExponentialDelayStrategy::ExponentialDelayStrategy(const graph::RestartOptions& options,
                                                   uint64_t seed)
    : options_(options), random_(seed) {
}

void ExponentialDelayStrategy::OnFailure(absl::Duration now) {
  if (now <= next_restart_at_) return;  // the same incident: its start is still to come
  if (now - next_restart_at_ >= options_.reset_after) attempts_ = 0;
  // The exponent is capped where any sensible delay has long reached `max`.
  const double exponent = static_cast<double>(std::min<int64_t>(attempts_, 1000));
  absl::Duration delay =
      std::min(options_.initial * std::pow(options_.multiplier, exponent), options_.max);
  const double spread = options_.jitter * (2 * random_.Fraction() - 1);
  delay = std::clamp(delay + delay * spread, options_.initial, options_.max);
  ++attempts_;
  next_restart_at_ = now + delay;
}

bool ExponentialDelayStrategy::CanRestart() const {
  return options_.attempts < 0 || attempts_ <= options_.attempts;
}

absl::Duration ExponentialDelayStrategy::Delay(absl::Duration now) const {
  WEIR_CHECK(attempts_ > 0);
  return std::max(absl::ZeroDuration(), next_restart_at_ - now);
}

void FailureRateStrategy::OnFailure(absl::Duration now) {
  failures_.push_back(now);
  const size_t kept = static_cast<size_t>(std::max<int64_t>(options_.attempts, 0)) + 1;
  while (failures_.size() > kept) failures_.pop_front();
}

bool FailureRateStrategy::CanRestart() const {
  if (options_.attempts < 0) return true;
  if (failures_.size() <= static_cast<size_t>(options_.attempts)) return true;
  return failures_.back() - failures_.front() > options_.interval;
}

std::unique_ptr<RestartStrategy> MakeRestartStrategy(const graph::RestartOptions& options,
                                                     uint64_t seed) {
  switch (options.kind) {
    case graph::RestartKind::kNone:
      return std::make_unique<NoRestartStrategy>();
    case graph::RestartKind::kFixedDelay:
      return std::make_unique<FixedDelayStrategy>(options);
    case graph::RestartKind::kFailureRate:
      return std::make_unique<FailureRateStrategy>(options);
    case graph::RestartKind::kExponentialDelay:
      return std::make_unique<ExponentialDelayStrategy>(options, seed);
  }
  return std::make_unique<NoRestartStrategy>();
}

}  // namespace weir::job
