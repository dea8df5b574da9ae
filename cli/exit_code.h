// Exit codes of the `weir` command: scripts depend on them, so a code keeps its meaning.
#pragma once

#include <absl/status/status.h>

namespace weir::cli {

enum class ExitCode : int {
  kOk = 0,
  // The operation itself failed: the job, a savepoint, a test.
  kFailed = 1,
  // A bad flag or an ambiguous name.
  kUsage = 2,
  // An invalid descriptor or configuration.
  kInvalidInput = 3,
  kNotFound = 4,
  // It exists already, is in the wrong state, or its state does not fit.
  kConflict = 5,
  // The jobmanager cannot be reached or is not ready.
  kUnavailable = 6,
  // Authentication or permission.
  kDenied = 7,
  // Waiting ended, the operation goes on.
  kTimeout = 8,
  // Only `plan --detailed-exitcode`.
  kChangesPresent = 10,
  // By SIGINT and SIGTERM.
  kInterrupted = 130,
  kTerminated = 143,
};

// The code for an outcome without a more exact one.
ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace weir::cli
