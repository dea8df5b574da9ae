// DaemonOptions: everything `weir.yaml` may say, for both daemons, and the table that reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <absl/time/time.h>

#include "common/config/located.h"
#include "common/config/option_table.h"
#include "common/daemon/logging.h"
#include "common/daemon/restart_options.h"
#include "common/rpc/task_manager_facts.h"

namespace weir::daemon {

// Port 0 is a free one, named by the ready line.
inline constexpr int64_t kPortMax = 65535;
// Memory of a taskmanager: the least that makes sense, and what it takes of the machine, or of the
// control group it runs in, unless it is told.
inline constexpr int64_t kProcessMemoryMin = int64_t{32} << 20;
inline constexpr double kMemoryShareOfMachine = 0.8;

struct EndpointOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;
};

enum class SlotPlacement : uint8_t { kSpread, kPack };

struct SchedulerOptions {
  absl::Duration slot_request_timeout = absl::Minutes(5);
  SlotPlacement placement = SlotPlacement::kSpread;
};

struct HistoryOptions {
  uint32_t jobs = 100;
};

struct JobManagerOptions {
  config::Located<std::string> bind_host = std::string("127.0.0.1");
  EndpointOptions rpc{.port = 6123};
  std::optional<std::string> work_dir;
  SchedulerOptions scheduler;
  HistoryOptions history;
};

struct DataOptions {
  uint16_t port = 6121;
};

struct StateMemoryOptions {
  double fraction = 0.5;  // of the process's
};
struct MemoryOptions {
  std::optional<int64_t> process;  // bytes; unset: kMemoryShareOfMachine of what there is
  StateMemoryOptions state;
};

struct TaskManagerOptions {
  config::Located<std::string> bind_host = std::string("127.0.0.1");
  std::optional<std::string> host;  // that others reach it by; unset: bind_host
  DataOptions data;
  uint32_t slots = 0;  // 0: one per CPU
  std::optional<std::string> work_dir;
  absl::Duration cancel_timeout = absl::Minutes(3);
  MemoryOptions memory;
};

struct CheckpointDirectoryOptions {
  std::optional<std::string> dir;
};
struct StateOptions {
  CheckpointDirectoryOptions checkpoints;
};

struct HeartbeatOptions {
  absl::Duration interval = rpc::kHeartbeatInterval;
  absl::Duration timeout = rpc::kHeartbeatTimeout;
};

enum class CoordinationDriver : uint8_t { kStandalone, kFile };
struct HighAvailabilityOptions {
  CoordinationDriver type = CoordinationDriver::kStandalone;
  std::optional<std::string> storage_dir;
};

struct RestOptions {
  config::Located<std::string> bind_address = std::string("127.0.0.1");
  uint16_t port = 8081;
};

struct PrometheusOptions {
  bool enabled = true;
  uint16_t port = 9249;  // of a taskmanager; a jobmanager answers at rest.port
};
struct MetricsOptions {
  PrometheusOptions prometheus;
};

struct SecurityOptions {
  bool allow_insecure = false;
};

struct LoggingOptions {
  LogLevel level = LogLevel::kInfo;
};

struct DaemonOptions {
  JobManagerOptions jobmanager;
  TaskManagerOptions taskmanager;
  StateOptions state;
  RestartStrategyOptions restart_strategy;
  HeartbeatOptions heartbeat;
  HighAvailabilityOptions high_availability;
  RestOptions rest;
  MetricsOptions metrics;
  SecurityOptions security;
  LoggingOptions logging;
};

const config::OptionTable<DaemonOptions>& DaemonTable();

// What single values cannot show: relations between them, and addresses that others can reach
// without TLS and authentication. Adds errors, and warnings about what was asked for explicitly.
void CheckDaemonOptions(const DaemonOptions& options, config::Diagnostics* diagnostics);

}  // namespace weir::daemon
