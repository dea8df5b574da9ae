// RunDaemon: the life of a daemon's process: flags, configuration, ready line, signals, end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/statusor.h>

#include "common/daemon/daemon_options.h"
#include "common/rpc/control_loop.h"

namespace weir::daemon {

// What runs in a daemon's process.
//
// Life:   made and started on the control loop's thread; destroyed there after Stop() was done.
// Thread: the control loop's.
class Daemon {
 public:
  virtual ~Daemon() = default;
  // For the ready line: {"rpc", "127.0.0.1:6123"}.
  virtual std::vector<std::pair<std::string, std::string>> Addresses() const = 0;
  // Ends in order; `done` runs on the loop, once, later or inside this call.
  virtual void Stop(absl::AnyInvocable<void()> done) = 0;
  // Once the loop has stopped: why the daemon ended by itself; OK: it was told to.
  virtual absl::Status Outcome() const { return absl::OkStatus(); }
};

struct DaemonRole {
  const char* program;      // "weir-jobmanager"
  const char* description;  // for --help
  std::function<std::optional<std::string>(const DaemonOptions& options)> work_dir;
  // Errors end the process with exit code 1 and a line that says what to do.
  std::function<absl::StatusOr<std::unique_ptr<Daemon>>(const DaemonOptions& options,
                                                        rpc::ControlLoop& loop)>
      start;
};

// Exit codes: 0 stopped by SIGINT or SIGTERM, or nothing was to be started; 1 could not start or go
// on;
// 2 bad flags; 78 bad configuration. A second signal ends the process at once with 128 + signal.
//
// Ready line, on stdout: "<program> ready <name>=<address>... pid=<pid> version=<version>"; the
// same line is the content of `<work dir>/<program>.ready` while the daemon runs.
int RunDaemon(int argc, const char* const* argv, const DaemonRole& role);

}  // namespace weir::daemon
