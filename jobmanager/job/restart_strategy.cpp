#include "jobmanager/job/restart_strategy.h"

#include <algorithm>
#include <cmath>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/base/string_view.h"

namespace weir::job {
namespace {

// How far beyond `max` a delay may grow before its jitter: enough that the jitter of any delay that
// long cannot bring it below `max`, unless it is the whole delay.
constexpr double kOvershootMax = 1000;

absl::Status Require(bool holds, StringView option, StringView value, StringView range) {
  if (holds) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("restart.", option, " is ", value, "; it must be ", range));
}

}  // namespace

absl::Status ValidateRestartOptions(const graph::RestartOptions& options) {
  const std::string initial = absl::FormatDuration(options.initial);
  WEIR_RETURN_IF_ERROR(
      Require(options.initial > absl::ZeroDuration(), "initial", initial, "longer than 0s"));
  WEIR_RETURN_IF_ERROR(Require(options.max >= options.initial, "max",
                               absl::FormatDuration(options.max),
                               absl::StrCat("at least `initial` (", initial, ")")));
  WEIR_RETURN_IF_ERROR(Require(options.multiplier >= 1, "multiplier",
                               absl::StrCat(options.multiplier), "at least 1"));
  WEIR_RETURN_IF_ERROR(Require(options.jitter >= 0 && options.jitter <= 1, "jitter",
                               absl::StrCat(options.jitter), "0 to 1"));
  WEIR_RETURN_IF_ERROR(Require(options.reset_after >= absl::ZeroDuration(), "reset_after",
                               absl::FormatDuration(options.reset_after), "at least 0s"));
  WEIR_RETURN_IF_ERROR(Require(options.delay >= absl::ZeroDuration(), "delay",
                               absl::FormatDuration(options.delay), "at least 0s"));
  WEIR_RETURN_IF_ERROR(Require(options.interval > absl::ZeroDuration(), "interval",
                               absl::FormatDuration(options.interval), "longer than 0s"));
  return Require(options.attempts >= -1, "attempts", absl::StrCat(options.attempts),
                 "at least 0, or -1 for no limit");
}

absl::StatusOr<graph::RestartOptions> ChooseRestart(
    const graph::JobSettings& job, const std::optional<graph::RestartOptions>& cluster) {
  const graph::RestartOptions& chosen =
      job.has_restart || !cluster.has_value() ? job.restart : *cluster;
  WEIR_RETURN_IF_ERROR(ValidateRestartOptions(chosen));
  return chosen;
}

ExponentialDelayStrategy::ExponentialDelayStrategy(const graph::RestartOptions& options,
                                                   uint64_t seed)
    : options_(options), random_(seed) {
}

void ExponentialDelayStrategy::OnFailure(absl::Duration now) {
  if (now <= next_restart_at_) return;  // the same incident: its start is still to come
  if (now - next_restart_at_ >= options_.reset_after) attempts_ = 0;
  // The exponent is capped where any sensible delay has long reached `max`.
  const double exponent = static_cast<double>(std::min<int64_t>(attempts_, 1000));
  const absl::Duration delay = std::min(options_.initial * std::pow(options_.multiplier, exponent),
                                        options_.max * kOvershootMax);
  const double spread = options_.jitter * (2 * random_.Fraction() - 1);
  ++attempts_;
  next_restart_at_ = now + std::clamp(delay + delay * spread, options_.initial, options_.max);
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
