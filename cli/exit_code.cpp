#include "cli/exit_code.h"

namespace weir::cli {

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return ExitCode::kInvalidInput;
    case absl::StatusCode::kNotFound:
      return ExitCode::kNotFound;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
      return ExitCode::kConflict;
    case absl::StatusCode::kUnavailable:
      return ExitCode::kUnavailable;
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return ExitCode::kDenied;
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kTimeout;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace weir::cli
