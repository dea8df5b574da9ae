// EpochFence: obey only the highest epoch seen (docs/style.md: a message carries what fences it).
#pragma once

#include <cstdint>

#include <absl/status/status.h>

namespace weir::rpc {

// Pure. Thread: confined to one thread.
// Invariant: highest() never falls.
class EpochFence {
 public:
  // ABORTED: a jobmanager with a higher epoch has been heard; the message names both.
  absl::Status Admit(uint64_t epoch);
  uint64_t highest() const { return highest_; }

 private:
  uint64_t highest_ = 0;
};

}  // namespace weir::rpc
