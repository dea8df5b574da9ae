// JobGraphStore: the durable list of the jobs that have not ended, as they were submitted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/graph/job_source.h"

namespace weir::coordination {

// Everything it takes to run a job again in another process.
struct StoredJob {
  JobId id;
  std::string name;           // the plan's
  std::string request_id;     // of its submission; empty: none
  absl::Time submitted_at;    // whole microseconds
  graph::JobSource source;    // with `max_parallelism` set: that of its state, for ever
  uint32_t parallelism = 0;   // the plan's largest, for people
  bool is_cancelled = false;  // it was asked to end and only has to come to that

  bool operator==(const StoredJob&) const = default;
};

// Thread: any; the calls block.
class JobGraphStore {
 public:
  virtual ~JobGraphStore() = default;

  // Durable once it returns OK; a job of the same id is replaced.
  // ABORTED: this process leads no more. Others: the storage's; whether it is stored is unknown.
  virtual absl::Status Put(const StoredJob& job) = 0;
  // From now on it is listed as cancelled. OK if it is not there. Codes of Put().
  virtual absl::Status MarkCancelled(JobId job) = 0;
  // OK if it is not there. Codes of Put().
  virtual absl::Status Remove(JobId job) = 0;
  // By submission, the oldest first. DATA_LOSS: damaged; the message names what.
  virtual absl::StatusOr<std::vector<StoredJob>> List() = 0;
};

}  // namespace weir::coordination
