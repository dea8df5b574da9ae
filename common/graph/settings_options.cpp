#include "common/graph/settings_options.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/graph/option_optional.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::DoubleOption;
using config::DurationOption;
using config::EnumOption;
using config::IntegerOption;
using config::Node;
using config::OptionTable;

constexpr absl::Duration kIntervalMin = absl::Milliseconds(10);

const EnumOption<RestartKind>& RestartKinds() {
  static const EnumOption<RestartKind> kinds(
      {{"none", RestartKind::kNone},
       {"fixed_delay", RestartKind::kFixedDelay},
       {"failure_rate", RestartKind::kFailureRate},
       {"exponential_delay", RestartKind::kExponentialDelay}});
  return kinds;
}

// Whether strategy `kind` uses the option.
bool UsesOption(RestartKind kind, StringView key) {
  switch (kind) {
    case RestartKind::kNone:
      return key == "strategy";
    case RestartKind::kFixedDelay:
      return key == "strategy" || key == "delay" || key == "attempts";
    case RestartKind::kFailureRate:
      return key == "strategy" || key == "delay" || key == "attempts" || key == "interval";
    case RestartKind::kExponentialDelay:
      return key != "delay" && key != "interval";
  }
  return false;
}

bool CheckRestart(const Node& node, const RestartOptions& restart, Diagnostics* diagnostics) {
  bool is_good = true;
  for (const config::MapEntry& entry : node.entries()) {
    const config::Option* option = RestartTable().Find(entry.key->text());
    if (option == nullptr || UsesOption(restart.kind, option->key)) continue;
    diagnostics->Add(
        config::ErrorAt(*entry.key, config::codes::kConflictingOptions,
                        absl::StrCat("restart strategy '", RestartKinds().Format(restart.kind),
                                     "' has no option '", option->key, "'")));
    is_good = false;
  }
  if (restart.max < restart.initial) {
    const Node* const max = node.Find("max");
    diagnostics->Add(config::ErrorAt(
        max != nullptr ? *max : node, config::codes::kConflictingOptions,
        absl::StrCat("the longest delay (", config::DurationText(restart.max),
                     ") is shorter than `initial` (", config::DurationText(restart.initial), ")")));
    is_good = false;
  }
  return is_good;
}

}  // namespace

const OptionTable<CheckpointingOptions>& CheckpointingTable() {
  static const OptionTable<CheckpointingOptions> table = [] {
    using O = CheckpointingOptions;
    OptionTable<O> t("checkpointing", "When snapshots of the job's state are taken.");
    t.Add("interval", &O::interval, OptionalOption{DurationOption{.min = kIntervalMin}},
          "Time between two checkpoints; never less than `min_pause`.")
        .Default("none are taken by itself");
    t.Add("timeout", &O::timeout, DurationOption{.min = kIntervalMin},
          "A checkpoint that takes longer is given up.");
    t.Add("min_pause", &O::min_pause, DurationOption{},
          "Shortest time between the end of a checkpoint and the start of the next.");
    t.Add("max_concurrent", &O::max_concurrent, IntegerOption{.min = 1, .max = 1000},
          "Most checkpoints in progress at once.");
    t.Add("tolerable_failures", &O::tolerable_failures, IntegerOption{.min = -1},
          "Failed checkpoints in a row after which the job fails; -1: it never does.");
    t.Add("retained", &O::retained, IntegerOption{.min = 1, .max = 1000},
          "Newest completed checkpoints that are kept.");
    t.Add("on_cancel", &O::on_cancel,
          EnumOption<OnCancel>({{"retain", OnCancel::kRetain}, {"delete", OnCancel::kDelete}}),
          "What happens to the checkpoints of a cancelled job. Stopping `weir local run` (Ctrl-C, "
          "SIGTERM) suspends the job and always keeps them.");
    return t;
  }();
  return table;
}

const OptionTable<RestartOptions>& RestartTable() {
  static const OptionTable<RestartOptions> table = [] {
    using O = RestartOptions;
    OptionTable<O> t("restart",
                     "What happens after a failure. Without this block a job that takes "
                     "checkpoints restarts with exponential delays and without limit, "
                     "and any other does not restart.");
    t.Add("strategy", &O::kind, RestartKinds(), "How long to wait, and when to give up.")
        .Default("exponential_delay if checkpointing.interval is set, else none");
    t.Add("initial", &O::initial, DurationOption{.min = absl::Milliseconds(1)},
          "exponential_delay: the first delay.");
    t.Add("max", &O::max, DurationOption{.min = absl::Milliseconds(1)},
          "exponential_delay: the longest delay.");
    t.Add("multiplier", &O::multiplier, DoubleOption{.min = 1, .max = 1000},
          "exponential_delay: each delay is so many times the one before.");
    t.Add("jitter", &O::jitter, DoubleOption{.min = 0, .max = 1},
          "exponential_delay: part of a delay by which it varies at random.");
    t.Add("reset_after", &O::reset_after, DurationOption{},
          "exponential_delay: after so long without a failure the delay is `initial` again.");
    t.Add("attempts", &O::attempts, IntegerOption{.min = 0, .words = {{"unlimited", -1}}},
          "Restarts after which the job fails for good; failure_rate: within `interval`.");
    t.Add("delay", &O::delay, DurationOption{}, "fixed_delay, failure_rate: the delay.");
    t.Add("interval", &O::interval, DurationOption{.min = absl::Milliseconds(1)},
          "failure_rate: the time in which failures are counted.");
    return t;
  }();
  return table;
}

const OptionTable<ExecutionOptions>& ExecutionTable() {
  static const OptionTable<ExecutionOptions> table = [] {
    OptionTable<ExecutionOptions> t("execution", "How rows travel.");
    t.Add("buffer_timeout", &ExecutionOptions::buffer_timeout,
          DurationOption{.max = absl::Minutes(1)},
          "Longest time a row waits for others to travel with; 0s: it never waits.");
    return t;
  }();
  return table;
}

const OptionTable<SettingsOptions>& SettingsTable() {
  static const OptionTable<SettingsOptions> table = [] {
    using O = SettingsOptions;
    OptionTable<O> t("settings", "How the job runs.");
    t.Add("parallelism", &O::parallelism, IntegerOption{.min = 1, .max = kMaxParallelismMax},
          "Subtasks of every step that does not say otherwise.");
    t.Add("max_parallelism", &O::max_parallelism,
          IntegerOption{.min = 1, .max = kMaxParallelismMax},
          "Key groups: the highest parallelism the state can ever be spread over. Fixed for the "
          "life of the state.")
        .Default("1.5 times the parallelism, rounded up to a power of two, at least 128");
    t.AddBlock("checkpointing", &O::checkpointing, CheckpointingTable(),
               "When snapshots of the job's state are taken.");
    t.Add("restart", &O::restart,
          config::CustomOption<RestartOptions>{
              .type_text = "a block",
              .read =
                  [](const Node& node, RestartOptions* value, Diagnostics* diagnostics) {
                    value->kind = RestartKind::kExponentialDelay;
                    return RestartTable().Read(node, value, diagnostics) &&
                           CheckRestart(node, *value, diagnostics);
                  }},
          "What happens after a failure.")
        .block = &RestartTable();
    t.AddBlock("execution", &O::execution, ExecutionTable(), "How rows travel.");
    return t;
  }();
  return table;
}

JobSettings FinishSettings(const SettingsOptions& settings) {
  JobSettings result;
  result.parallelism = *settings.parallelism;
  result.max_parallelism = settings.max_parallelism.IsSet() ? *settings.max_parallelism : 0;
  result.checkpointing = settings.checkpointing;
  if (result.checkpointing.interval.has_value()) {
    result.checkpointing.interval =
        std::max(*result.checkpointing.interval, result.checkpointing.min_pause);
  }
  result.buffer_timeout = settings.execution.buffer_timeout;
  if (settings.restart.has_value()) {
    result.restart = *settings.restart;
    result.has_restart = true;
  } else if (result.checkpointing.interval.has_value()) {
    result.restart.kind = RestartKind::kExponentialDelay;
  }
  return result;
}

int64_t DefaultMaxParallelism(int64_t parallelism) {
  const int64_t wanted = parallelism + (parallelism + 1) / 2;
  int64_t power = kDefaultKeyGroupsMin;
  while (power < wanted) power *= 2;
  return std::min(power, kMaxParallelismMax);
}

}  // namespace weir::graph
