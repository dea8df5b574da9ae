#include "common/rpc/epoch_fence.h"

#include <absl/strings/str_cat.h>

namespace weir::rpc {

absl::Status EpochFence::Admit(uint64_t epoch) {
  if (epoch < highest_) {
    return absl::AbortedError(absl::StrCat("epoch ", epoch, " is over: a jobmanager with epoch ",
                                           highest_, " is in charge"));
  }
  highest_ = epoch;
  return absl::OkStatus();
}

}  // namespace weir::rpc
