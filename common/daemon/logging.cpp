#include "common/daemon/logging.h"

#include <absl/strings/str_cat.h>
#include <glog/logging.h>
#include <glog/vlog_is_on.h>

namespace weir::daemon {

namespace {

int SmallestSeverity(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return google::GLOG_ERROR;
    case LogLevel::kWarning:
      return google::GLOG_WARNING;
    case LogLevel::kInfo:
    case LogLevel::kDebug:
      return google::GLOG_INFO;
  }
  return google::GLOG_INFO;
}

}  // namespace

absl::StatusOr<LogLevel> ParseLogLevel(StringView text) {
  if (text == "error") return LogLevel::kError;
  if (text == "warning") return LogLevel::kWarning;
  if (text == "info") return LogLevel::kInfo;
  if (text == "debug") return LogLevel::kDebug;
  return absl::InvalidArgumentError(
      absl::StrCat("no log level '", text, "', use one of error, warning, info, debug"));
}

void SetLogLevel(LogLevel level) {
  FLAGS_minloglevel = SmallestSeverity(level);
  google::SetVLOGLevel("*", level == LogLevel::kDebug ? 1 : 0);
}

void StartLogging(const char* program, LogLevel level) {
  FLAGS_logtostderr = true;
  SetLogLevel(level);
  if (!google::IsGoogleLoggingInitialized()) google::InitGoogleLogging(program);
}

}  // namespace weir::daemon
