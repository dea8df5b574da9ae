#include "common/rpc/epoch_fence.h"

#include <absl/strings/str_cat.h>

namespace weir::rpc {

absl::Status EpochFence::Admit(ClusterId cluster, uint64_t epoch) {
  uint64_t& highest = highest_[cluster];
  if (epoch < highest) {
    return absl::AbortedError(absl::StrCat(
        "epoch ", epoch, " is over: a jobmanager with epoch ", highest,
        " is in charge (if high-availability.storage-dir was put back from a copy, restart the "
        "taskmanagers)"));
  }
  highest = epoch;
  return absl::OkStatus();
}

}  // namespace weir::rpc
