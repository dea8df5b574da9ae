// RestartStrategy: whether and when a failed job starts again. Pure: time comes as an argument.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/random.h"
#include "common/graph/settings.h"

namespace weir::job {

// Thread: confined to the job's control loop.
class RestartStrategy {
 public:
  virtual ~RestartStrategy() = default;
  // The job failed at `now` (steady). Several failures of one incident may count as one.
  virtual void OnFailure(absl::Duration now) = 0;
  // After OnFailure(): may it start again?
  virtual bool CanRestart() const = 0;
  // After OnFailure() at `now`: how long to wait. REQUIRES: CanRestart().
  virtual absl::Duration Delay(absl::Duration now) const = 0;
};

// INVALID_ARGUMENT: names the option, its value and the accepted range.
absl::Status ValidateRestartOptions(const graph::RestartOptions& options);

// What a job restarts by: its own `restart` block, else the cluster's default, else exponential
// delays without limit if it takes checkpoints, else none. Fails as ValidateRestartOptions() does.
absl::StatusOr<graph::RestartOptions> ChooseRestart(
    const graph::JobSettings& job, const std::optional<graph::RestartOptions>& cluster);

// `seed`: for the jitter.
std::unique_ptr<RestartStrategy> MakeRestartStrategy(const graph::RestartOptions& options,
                                                     uint64_t seed);

// Delays grow by `multiplier` from `initial` up to `max`, each varied by up to `jitter` of itself.
// Failures before the next start are one attempt; a quiet time of `reset_after` starts anew.
class ExponentialDelayStrategy final : public RestartStrategy {
 public:
  ExponentialDelayStrategy(const graph::RestartOptions& options, uint64_t seed);
  void OnFailure(absl::Duration now) override;
  bool CanRestart() const override;
  absl::Duration Delay(absl::Duration now) const override;
  int64_t attempts() const { return attempts_; }

 private:
  const graph::RestartOptions options_;
  base::Random random_;
  int64_t attempts_ = 0;
  absl::Duration next_restart_at_ = -absl::InfiniteDuration();
};

// At most `attempts` failures within `interval`, a fixed `delay` before each start.
class FailureRateStrategy final : public RestartStrategy {
 public:
  explicit FailureRateStrategy(const graph::RestartOptions& options) : options_(options) {}
  void OnFailure(absl::Duration now) override;
  bool CanRestart() const override;
  absl::Duration Delay(absl::Duration now) const override { return options_.delay; }

 private:
  const graph::RestartOptions options_;
  std::deque<absl::Duration> failures_;  // the newest attempts + 1
};

// `attempts` starts, a fixed `delay` before each.
class FixedDelayStrategy final : public RestartStrategy {
 public:
  explicit FixedDelayStrategy(const graph::RestartOptions& options) : options_(options) {}
  void OnFailure(absl::Duration now) override { ++failures_; }
  bool CanRestart() const override {
    return options_.attempts < 0 || failures_ <= options_.attempts;
  }
  absl::Duration Delay(absl::Duration now) const override { return options_.delay; }

 private:
  const graph::RestartOptions options_;
  int64_t failures_ = 0;
};

// Never.
class NoRestartStrategy final : public RestartStrategy {
 public:
  void OnFailure(absl::Duration now) override {}
  bool CanRestart() const override { return false; }
  absl::Duration Delay(absl::Duration now) const override { return absl::InfiniteDuration(); }
};

}  // namespace weir::job
