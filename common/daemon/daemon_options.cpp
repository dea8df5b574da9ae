#include "common/daemon/daemon_options.h"

#include <string>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

namespace weir::daemon {
namespace {

using config::BoolOption;
using config::ByteSizeOption;
using config::DoubleOption;
using config::DurationOption;
using config::EnumOption;
using config::IntegerOption;
using config::OptionTable;
using config::TextOption;

constexpr absl::Duration kHeartbeatIntervalMin = absl::Milliseconds(10);
// Below it a machine that is busy looks like a task that hangs.
constexpr absl::Duration kCancelTimeoutMin = absl::Milliseconds(100);

IntegerOption Port() {
  return {.min = 0, .max = kPortMax};
}
TextOption Path() {
  return {.type_text = "path"};
}

// A table that is built once.
template <class T, class Build>
OptionTable<T> Built(const char* name, const char* description, Build build) {
  OptionTable<T> table(name, description);
  build(table);
  return table;
}

const OptionTable<EndpointOptions>& RpcTable() {
  static const auto table = Built<EndpointOptions>(
      "jobmanager.rpc", "Where taskmanagers find the jobmanager.", [](auto& t) {
        t.Add("address", &EndpointOptions::address, TextOption{.type_text = "host"},
              "The jobmanager's host, as taskmanagers reach it.");
        t.Add("port", &EndpointOptions::port, Port(), "Its port; 0 takes a free one.");
      });
  return table;
}

const OptionTable<SchedulerOptions>& SchedulerTable() {
  static const auto table =
      Built<SchedulerOptions>("jobmanager.scheduler", "How jobs get slots.", [](auto& t) {
        t.Add("slot-request-timeout", &SchedulerOptions::slot_request_timeout,
              DurationOption{.min = absl::Milliseconds(10)},
              "How long a job waits for slots before its start counts as failed.");
        t.Add("placement", &SchedulerOptions::placement,
              EnumOption<SlotPlacement>(
                  {{"spread", SlotPlacement::kSpread}, {"pack", SlotPlacement::kPack}}),
              "spread: over as many taskmanagers as there are; pack: fill one before the next.");
      });
  return table;
}

const OptionTable<HistoryOptions>& HistoryTable() {
  static const auto table =
      Built<HistoryOptions>("jobmanager.history", "What is remembered of the past.", [](auto& t) {
        t.Add("jobs", &HistoryOptions::jobs, IntegerOption{.min = 1, .max = 100'000},
              "Ended jobs that are still listed; older ones are forgotten.");
      });
  return table;
}

const OptionTable<JobManagerOptions>& JobManagerTable() {
  static const auto table = Built<JobManagerOptions>("jobmanager", "The jobmanager.", [](auto& t) {
    t.Add("bind-host", &JobManagerOptions::bind_host, TextOption{.type_text = "host"},
          "The address it listens on for taskmanagers.");
    t.AddBlock("rpc", &JobManagerOptions::rpc, RpcTable(), RpcTable().description());
    t.Add("work-dir", &JobManagerOptions::work_dir, Path(),
          "A directory of its own; the ready line is also written there.");
    t.AddBlock("scheduler", &JobManagerOptions::scheduler, SchedulerTable(),
               SchedulerTable().description());
    t.AddBlock("history", &JobManagerOptions::history, HistoryTable(),
               HistoryTable().description());
  });
  return table;
}

const OptionTable<DataOptions>& DataTable() {
  static const auto table = Built<DataOptions>(
      "taskmanager.data", "Where other taskmanagers bring rows.",
      [](auto& t) { t.Add("port", &DataOptions::port, Port(), "The port; 0 takes a free one."); });
  return table;
}

const OptionTable<StateMemoryOptions>& StateMemoryTable() {
  static const auto table = Built<StateMemoryOptions>(
      "taskmanager.memory.state", "What state may take of it.", [](auto& t) {
        t.Add("fraction", &StateMemoryOptions::fraction, DoubleOption{.min = 0.01, .max = 1.0},
              "The share of taskmanager.memory.process that the state of all its tasks may take; a "
              "task that needs more fails its job, and not the taskmanager.");
      });
  return table;
}

const OptionTable<MemoryOptions>& MemoryTable() {
  static const auto table =
      Built<MemoryOptions>("taskmanager.memory", "Memory of a taskmanager.", [](auto& t) {
        t.Add("process", &MemoryOptions::process, ByteSizeOption{.min = kProcessMemoryMin},
              "What it may take in all; null: 80 % of what the machine, or the control group it "
              "runs in, has.");
        t.AddBlock("state", &MemoryOptions::state, StateMemoryTable(),
                   StateMemoryTable().description());
      });
  return table;
}

const OptionTable<TaskManagerOptions>& TaskManagerTable() {
  static const auto table =
      Built<TaskManagerOptions>("taskmanager", "The taskmanager.", [](auto& t) {
        t.Add("bind-host", &TaskManagerOptions::bind_host, TextOption{.type_text = "host"},
              "The address it listens on for other taskmanagers and for metrics.");
        t.Add("host", &TaskManagerOptions::host, TextOption{.type_text = "host"},
              "The host under which other taskmanagers reach it; null: bind-host.");
        t.AddBlock("data", &TaskManagerOptions::data, DataTable(), DataTable().description());
        t.Add("slots", &TaskManagerOptions::slots, IntegerOption{.min = 0, .max = rpc::kSlotsMax},
              "Slots it offers, each for one subtask of every step; 0: one per CPU.");
        t.Add("work-dir", &TaskManagerOptions::work_dir, Path(),
              "A directory of its own; the ready line is also written there.");
        t.Add("cancel-timeout", &TaskManagerOptions::cancel_timeout,
              DurationOption{.min = kCancelTimeoutMin},
              "How long a cancelled task may take to end. One that hangs in a call cannot be ended "
              "alone: the taskmanager ends then, so that the job can go on elsewhere.");
        t.AddBlock("memory", &TaskManagerOptions::memory, MemoryTable(),
                   MemoryTable().description());
      });
  return table;
}

const OptionTable<CheckpointDirectoryOptions>& CheckpointDirectoryTable() {
  static const auto table = Built<CheckpointDirectoryOptions>(
      "state.checkpoints", "Where checkpoints are kept.", [](auto& t) {
        t.Add("dir", &CheckpointDirectoryOptions::dir, Path(),
              "A directory that the jobmanager and every taskmanager see; jobs with checkpoints "
              "need it. The jobmanager's counts: taskmanagers learn it from there and do not use "
              "their own.");
      });
  return table;
}

const OptionTable<StateOptions>& StateTable() {
  static const auto table = Built<StateOptions>("state", "State of jobs.", [](auto& t) {
    t.AddBlock("checkpoints", &StateOptions::checkpoints, CheckpointDirectoryTable(),
               CheckpointDirectoryTable().description());
  });
  return table;
}

const OptionTable<HeartbeatOptions>& HeartbeatTable() {
  static const auto table = Built<HeartbeatOptions>(
      "heartbeat", "How the daemons notice that another has gone silent.", [](auto& t) {
        t.Add("interval", &HeartbeatOptions::interval, DurationOption{.min = kHeartbeatIntervalMin},
              "Time between two heartbeats.");
        t.Add("timeout", &HeartbeatOptions::timeout, DurationOption{.min = kHeartbeatIntervalMin},
              "Silence after which the other side counts as lost.");
      });
  return table;
}

const OptionTable<HighAvailabilityOptions>& HighAvailabilityTable() {
  static const auto table = Built<HighAvailabilityOptions>(
      "high-availability", "What survives the jobmanager.", [](auto& t) {
        t.Add("type", &HighAvailabilityOptions::type,
              EnumOption<CoordinationDriver>({{"standalone", CoordinationDriver::kStandalone},
                                              {"file", CoordinationDriver::kFile}}),
              "standalone: jobs end with the jobmanager; file: the next one goes on with them.");
        t.Add("storage-dir", &HighAvailabilityOptions::storage_dir, Path(),
              "For file: where jobs, results and checkpoint lists are kept.");
      });
  return table;
}

const OptionTable<RestOptions>& RestTable() {
  static const auto table =
      Built<RestOptions>("rest", "The HTTP interface of the jobmanager.", [](auto& t) {
        t.Add("bind-address", &RestOptions::bind_address, TextOption{.type_text = "host"},
              "The address it listens on.");
        t.Add("port", &RestOptions::port, Port(), "Its port; 0 takes a free one.");
      });
  return table;
}

const OptionTable<PrometheusOptions>& PrometheusTable() {
  static const auto table = Built<PrometheusOptions>(
      "metrics.prometheus", "Metrics for Prometheus at /metrics.", [](auto& t) {
        t.Add("enabled", &PrometheusOptions::enabled, BoolOption{}, "Whether they are offered.");
        t.Add("port", &PrometheusOptions::port, Port(),
              "A taskmanager's port for them and its health checks; 0 takes a free one. A "
              "jobmanager offers them at rest.port.");
      });
  return table;
}

const OptionTable<MetricsOptions>& MetricsTable() {
  static const auto table = Built<MetricsOptions>("metrics", "Numbers to watch.", [](auto& t) {
    t.AddBlock("prometheus", &MetricsOptions::prometheus, PrometheusTable(),
               PrometheusTable().description());
  });
  return table;
}

const OptionTable<SecurityOptions>& SecurityTable() {
  static const auto table =
      Built<SecurityOptions>("security", "Who may reach the daemons.", [](auto& t) {
        t.Add("allow-insecure", &SecurityOptions::allow_insecure, BoolOption{},
              "Lets the daemons listen beyond this machine although neither TLS nor "
              "authentication protects them: whoever reaches them may run jobs.");
      });
  return table;
}

const OptionTable<LoggingOptions>& LoggingTable() {
  static const auto table =
      Built<LoggingOptions>("logging", "Log lines, which go to stderr.", [](auto& t) {
        t.Add("level", &LoggingOptions::level,
              EnumOption<LogLevel>({{"error", LogLevel::kError},
                                    {"warning", LogLevel::kWarning},
                                    {"info", LogLevel::kInfo},
                                    {"debug", LogLevel::kDebug}}),
              "The least grave lines that are written.");
      });
  return table;
}

bool IsLoopback(StringView host) {
  return host == "localhost" || host == "::1" || absl::StartsWith(host, "127.");
}

void CheckHost(const config::Located<std::string>& host, StringView key,
               const SecurityOptions& security, config::Diagnostics* diagnostics) {
  if (IsLoopback(host.value) || host.node == nullptr) return;
  const std::string what = absl::StrCat("'", host.value, "' lets other machines reach ", key,
                                        ", which neither TLS nor authentication protects");
  if (security.allow_insecure) {
    diagnostics->Add(config::WarningAt(*host.node, config::codes::kBadValue, what)
                         .Help("let only machines that you trust reach the port"));
    return;
  }
  diagnostics->Add(config::ErrorAt(*host.node, config::codes::kBadValue, what)
                       .Help("use 127.0.0.1, or say `security: {allow-insecure: true}` where the "
                             "network itself keeps others out"));
}

// By name alone: whether they exist is not known yet.
bool IsSameDirectory(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a.has_value() || !b.has_value()) return false;
  const auto names = [](const std::string& path) -> std::vector<std::string> {
    return absl::StrSplit(path, '/', [](const auto& name) { return !name.empty() && name != "."; });
  };
  return a->front() == b->front() && names(*a) == names(*b);
}

}  // namespace

const OptionTable<DaemonOptions>& DaemonTable() {
  static const auto table = Built<DaemonOptions>(
      "the configuration", "The configuration of Weir's daemons.", [](auto& t) {
        t.AddBlock("jobmanager", &DaemonOptions::jobmanager, JobManagerTable(),
                   JobManagerTable().description());
        t.AddBlock("taskmanager", &DaemonOptions::taskmanager, TaskManagerTable(),
                   TaskManagerTable().description());
        t.AddBlock("state", &DaemonOptions::state, StateTable(), StateTable().description());
        t.AddBlock("restart-strategy", &DaemonOptions::restart_strategy, RestartStrategyTable(),
                   RestartStrategyTable().description());
        t.AddBlock("heartbeat", &DaemonOptions::heartbeat, HeartbeatTable(),
                   HeartbeatTable().description());
        t.AddBlock("high-availability", &DaemonOptions::high_availability, HighAvailabilityTable(),
                   HighAvailabilityTable().description());
        t.AddBlock("rest", &DaemonOptions::rest, RestTable(), RestTable().description());
        t.AddBlock("metrics", &DaemonOptions::metrics, MetricsTable(),
                   MetricsTable().description());
        t.AddBlock("security", &DaemonOptions::security, SecurityTable(),
                   SecurityTable().description());
        t.AddBlock("logging", &DaemonOptions::logging, LoggingTable(),
                   LoggingTable().description());
      });
  return table;
}

void CheckDaemonOptions(const DaemonOptions& options, config::Diagnostics* diagnostics) {
  CheckHost(options.jobmanager.bind_host, "the jobmanager", options.security, diagnostics);
  CheckHost(options.taskmanager.bind_host, "the taskmanager", options.security, diagnostics);
  CheckHost(options.rest.bind_address, "the HTTP interface", options.security, diagnostics);
  const auto add = [diagnostics](std::string path, std::string message, std::string help) {
    diagnostics->Add(config::MakeDiagnostic(config::Severity::kError,
                                            config::codes::kConflictingOptions, {}, std::move(path),
                                            std::move(message))
                         .Help(std::move(help)));
  };
  if (options.heartbeat.timeout < 2 * options.heartbeat.interval) {
    add("/heartbeat/timeout",
        absl::StrCat("heartbeat.timeout (", absl::FormatDuration(options.heartbeat.timeout),
                     ") is less than two heartbeat.intervals of ",
                     absl::FormatDuration(options.heartbeat.interval)),
        "a single late heartbeat is no loss: use at least twice the interval");
  }
  const ExponentialDelayOptions& backoff = options.restart_strategy.exponential_delay;
  if (backoff.max_backoff < backoff.initial_backoff) {
    add("/restart-strategy/exponential-delay/max-backoff",
        absl::StrCat("restart-strategy.exponential-delay.max-backoff (",
                     absl::FormatDuration(backoff.max_backoff),
                     ") is shorter than initial-backoff (",
                     absl::FormatDuration(backoff.initial_backoff), ")"),
        "delays grow from initial-backoff up to max-backoff");
  }
  if (options.high_availability.type == CoordinationDriver::kFile &&
      !options.high_availability.storage_dir.has_value()) {
    add("/high-availability/storage-dir",
        "high-availability.type is file, but high-availability.storage-dir is not set",
        "name a directory that the next jobmanager sees as well");
  }
  if (IsSameDirectory(options.high_availability.storage_dir, options.state.checkpoints.dir)) {
    add("/state/checkpoints/dir",
        absl::StrCat("state.checkpoints.dir and high-availability.storage-dir are both ",
                     *options.state.checkpoints.dir),
        "give each a directory of its own: what one finds in the other's it takes for damage");
  }
}

}  // namespace weir::daemon
