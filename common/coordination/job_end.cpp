#include "common/coordination/job_end.h"

namespace weir::coordination {

StringView ToString(JobEnd end) {
  switch (end) {
    case JobEnd::kFinished:
      return "FINISHED";
    case JobEnd::kCanceled:
      return "CANCELED";
    case JobEnd::kFailed:
      return "FAILED";
    case JobEnd::kSuspended:
      return "SUSPENDED";
  }
  return "UNKNOWN";
}

}  // namespace weir::coordination
