// CheckpointIdCounter: gives out the ids of one job's checkpoints.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/coordination/job_end.h"

namespace weir::coordination {

// Ids of one job only rise, across restarts and leaders; the first is 1; gaps are allowed.
//
// Life:   Start() before anything else, Stop() at the end.
// Thread: any; the calls may block.
class CheckpointIdCounter {
 public:
  virtual ~CheckpointIdCounter() = default;

  // OK when started already.
  virtual absl::Status Start() = 0;
  // The next id, given to nobody else. FAILED_PRECONDITION: not started, or stopped.
  virtual absl::StatusOr<CheckpointId> GetAndIncrement() = 0;
  // What GetAndIncrement() would give.
  virtual absl::StatusOr<CheckpointId> Get() = 0;
  // The next id is at least `next`: it never goes back.
  virtual absl::Status RaiseTo(CheckpointId next) = 0;
  // Removes what is durable if the job will never run again. Repeated calls are OK.
  virtual absl::Status Stop(JobEnd end) = 0;
};

}  // namespace weir::coordination
