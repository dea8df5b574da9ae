// Logging of a process: glog to stderr, in one format for the daemons and the command.
#pragma once

#include <cstdint>

#include <absl/status/statusor.h>

#include "common/base/string_view.h"

namespace weir::daemon {

// Lines below the level are not written. kDebug also writes VLOG(1).
enum class LogLevel : uint8_t { kError, kWarning, kInfo, kDebug };

// "error", "warning", "info", "debug". INVALID_ARGUMENT: another text.
absl::StatusOr<LogLevel> ParseLogLevel(StringView text);

// Call from main before any thread logs; again, it only changes the level. `program` must live as
// long as the process.
void StartLogging(const char* program, LogLevel level);

// May be called from any thread, for a reload.
void SetLogLevel(LogLevel level);

}  // namespace weir::daemon
