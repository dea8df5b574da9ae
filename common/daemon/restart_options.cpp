#include "common/daemon/restart_options.h"

namespace weir::daemon {
namespace {

using config::DoubleOption;
using config::DurationOption;
using config::EnumOption;
using config::IntegerOption;
using config::OptionTable;

constexpr absl::Duration kDelayMin = absl::Milliseconds(1);

IntegerOption Attempts() {
  return {.min = 0, .words = {{"unlimited", -1}}};
}

const OptionTable<ExponentialDelayOptions>& ExponentialDelayTable() {
  static const auto table = [] {
    using O = ExponentialDelayOptions;
    OptionTable<O> t("restart-strategy.exponential-delay",
                     "Delays that grow from failure to failure.");
    t.Add("initial-backoff", &O::initial_backoff, DurationOption{.min = kDelayMin},
          "The first delay.");
    t.Add("max-backoff", &O::max_backoff, DurationOption{.min = kDelayMin}, "The longest delay.");
    t.Add("backoff-multiplier", &O::backoff_multiplier, DoubleOption{.min = 1, .max = 1000},
          "Each delay is so many times the one before.");
    t.Add("jitter-factor", &O::jitter_factor, DoubleOption{.min = 0, .max = 1},
          "Part of a delay by which it varies at random.");
    t.Add("reset-backoff-threshold", &O::reset_backoff_threshold, DurationOption{},
          "After so long without a failure the delay is initial-backoff again.");
    t.Add("attempts", &O::attempts, Attempts(), "Restarts after which a job fails for good.");
    return t;
  }();
  return table;
}

const OptionTable<FixedDelayOptions>& FixedDelayTable() {
  static const auto table = [] {
    using O = FixedDelayOptions;
    OptionTable<O> t("restart-strategy.fixed-delay", "The same delay after every failure.");
    t.Add("delay", &O::delay, DurationOption{}, "The delay.");
    t.Add("attempts", &O::attempts, Attempts(), "Restarts after which a job fails for good.");
    return t;
  }();
  return table;
}

const OptionTable<FailureRateOptions>& FailureRateTable() {
  static const auto table = [] {
    using O = FailureRateOptions;
    OptionTable<O> t("restart-strategy.failure-rate", "Restarts while failures are rare enough.");
    t.Add("max-failures-per-interval", &O::max_failures_per_interval, IntegerOption{.min = 0},
          "Failures in one interval after which a job fails for good.");
    t.Add("failure-rate-interval", &O::failure_rate_interval, DurationOption{.min = kDelayMin},
          "The time in which failures are counted.");
    t.Add("delay", &O::delay, DurationOption{}, "The delay before each start.");
    return t;
  }();
  return table;
}

}  // namespace

const OptionTable<RestartStrategyOptions>& RestartStrategyTable() {
  static const auto table = [] {
    using O = RestartStrategyOptions;
    OptionTable<O> t("restart-strategy",
                     "What happens after a failure of a job without `settings.restart`.");
    t.Add("type", &O::type,
          EnumOption<graph::RestartKind>(
              {{"none", graph::RestartKind::kNone},
               {"fixed-delay", graph::RestartKind::kFixedDelay},
               {"failure-rate", graph::RestartKind::kFailureRate},
               {"exponential-delay", graph::RestartKind::kExponentialDelay}}),
          "null: exponential-delay without limit for jobs that take checkpoints, else none.");
    t.AddBlock("exponential-delay", &O::exponential_delay, ExponentialDelayTable(),
               ExponentialDelayTable().description());
    t.AddBlock("fixed-delay", &O::fixed_delay, FixedDelayTable(), FixedDelayTable().description());
    t.AddBlock("failure-rate", &O::failure_rate, FailureRateTable(),
               FailureRateTable().description());
    return t;
  }();
  return table;
}

std::optional<graph::RestartOptions> ClusterRestart(const RestartStrategyOptions& options) {
  if (!options.type.has_value()) return std::nullopt;
  graph::RestartOptions restart{.kind = *options.type};
  switch (*options.type) {
    case graph::RestartKind::kNone:
      break;
    case graph::RestartKind::kFixedDelay:
      restart.delay = options.fixed_delay.delay;
      restart.attempts = options.fixed_delay.attempts;
      break;
    case graph::RestartKind::kFailureRate:
      restart.attempts = options.failure_rate.max_failures_per_interval;
      restart.interval = options.failure_rate.failure_rate_interval;
      restart.delay = options.failure_rate.delay;
      break;
    case graph::RestartKind::kExponentialDelay:
      restart.initial = options.exponential_delay.initial_backoff;
      restart.max = options.exponential_delay.max_backoff;
      restart.multiplier = options.exponential_delay.backoff_multiplier;
      restart.jitter = options.exponential_delay.jitter_factor;
      restart.reset_after = options.exponential_delay.reset_backoff_threshold;
      restart.attempts = options.exponential_delay.attempts;
      break;
  }
  return restart;
}

}  // namespace weir::daemon
