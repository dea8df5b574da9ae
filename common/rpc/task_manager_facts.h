// What a taskmanager says of itself when it registers, and of its tasks with every heartbeat.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/base/ids.h"

namespace weir::rpc {

// How often the two sides of a connection hear of each other, and when silence means loss.
// Defaults of `heartbeat.interval` and `heartbeat.timeout`.
inline constexpr absl::Duration kHeartbeatInterval = absl::Seconds(1);
inline constexpr absl::Duration kHeartbeatTimeout = absl::Seconds(10);

// Most slots one taskmanager offers: beyond it a machine has no cores to run them.
inline constexpr uint32_t kSlotsMax = 4096;

// Said once per connection.
struct TaskManagerFacts {
  TaskManagerId id;
  std::string host;          // for people
  std::string data_address;  // "127.0.0.1:6121": where other taskmanagers bring data
  std::string http_address;  // empty: none
  uint32_t slots = 0;
  int64_t pid = 0;
  // A jobmanager takes only taskmanagers of its own build: both plan the same text alike.
  std::string build_version;
};

// Counters of one operator's subtask since its attempt began.
struct OperatorCounts {
  uint32_t node = 0;  // graph::NodeIndex
  int64_t rows_in = 0;
  int64_t rows_out = 0;
  int64_t rows_late = 0;
  int64_t rows_partially_late = 0;
  int64_t rows_skipped = 0;
  int64_t deletes_dropped = 0;
};

struct TaskCounts {
  JobId job;
  AttemptId attempt;
  std::vector<OperatorCounts> operators;
};

struct TaskManagerReport {
  uint64_t resident_bytes = 0;
  std::vector<TaskCounts> tasks;
};

// A line of a daemon's log, for `weir logs`.
struct LogLine {
  absl::Time at;
  char level = 'I';  // I, W, E
  std::string text;
};

// Most lines one request for a log gets.
inline constexpr uint32_t kLogLinesMax = 10'000;

struct LogRequest {
  std::string contains;       // only lines with this text, for example a job's id; empty: all
  uint32_t lines_max = 1000;  // the newest ones; at most kLogLinesMax
};

}  // namespace weir::rpc
