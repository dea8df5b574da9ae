// RestartStrategyOptions: `restart-strategy` of weir.yaml: how jobs restart that do not say it.
#pragma once

#include <cstdint>
#include <optional>

#include <absl/time/time.h>

#include "common/config/option_table.h"
#include "common/graph/settings.h"

namespace weir::daemon {

struct ExponentialDelayOptions {
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Minutes(1);
  double backoff_multiplier = 1.5;
  double jitter_factor = 0.1;
  absl::Duration reset_backoff_threshold = absl::Minutes(10);
  int64_t attempts = -1;  // unlimited
};

struct FixedDelayOptions {
  absl::Duration delay = absl::Seconds(1);
  int64_t attempts = -1;  // unlimited
};

struct FailureRateOptions {
  int64_t max_failures_per_interval = 1;
  absl::Duration failure_rate_interval = absl::Minutes(1);
  absl::Duration delay = absl::Seconds(1);
};

struct RestartStrategyOptions {
  std::optional<graph::RestartKind> type;  // unset: by what the job does
  ExponentialDelayOptions exponential_delay;
  FixedDelayOptions fixed_delay;
  FailureRateOptions failure_rate;
};

const config::OptionTable<RestartStrategyOptions>& RestartStrategyTable();

// What jobs without `settings.restart` restart by; nullopt: see graph::RestartOptions.
std::optional<graph::RestartOptions> ClusterRestart(const RestartStrategyOptions& options);

}  // namespace weir::daemon
