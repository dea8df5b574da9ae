// EpochFence: obey only the highest epoch seen (docs/style.md: a message carries what fences it).
#pragma once

#include <cstdint>
#include <map>

#include <absl/status/status.h>

#include "common/base/cluster_id.h"

namespace weir::rpc {

// Pure. Thread: confined to one thread.
// Invariant: the highest epoch of a cluster never falls. Clusters do not fence each other: one with
//            a new storage directory counts from 1 again. There is an entry for each that was seen,
//            which grows by one where a jobmanager without such a directory starts.
class EpochFence {
 public:
  // ABORTED: a jobmanager with a higher epoch has been heard; the message names both.
  absl::Status Admit(ClusterId cluster, uint64_t epoch);

 private:
  std::map<ClusterId, uint64_t> highest_;
};

}  // namespace weir::rpc
