// JobResultStore: the durable list of jobs that have ended and never run again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/coordination/job_end.h"

namespace weir::coordination {

// How a job ended, and what people see of it afterwards.
struct EndedJob {
  JobId id;
  std::string name;
  std::string request_id;          // of its submission; empty: none
  JobEnd end = JobEnd::kFinished;  // never kSuspended
  absl::Time submitted_at;         // these whole microseconds
  absl::Time started_at;           // first RUNNING; InfinitePast(): never
  absl::Time ended_at;
  CheckpointId last_checkpoint = kNoCheckpoint;
  uint32_t parallelism = 0;
  uint32_t tasks = 0;
  int64_t restarts = 0;
  std::string message;  // why it failed; empty otherwise

  bool operator==(const EndedJob&) const = default;
};

// A result is stored before the job's graph, checkpoints and counter go: whoever finds one only
// cleans up.
//
// Thread: any; the calls block.
class JobResultStore {
 public:
  virtual ~JobResultStore() = default;

  // Durable once it returns OK; a result of the same id is replaced.
  // ABORTED: this process leads no more. Others: the storage's; whether it is stored is unknown.
  virtual absl::Status Put(const EndedJob& job) = 0;
  // OK if it is not there. Codes of Put().
  virtual absl::Status Remove(JobId job) = 0;
  // By end, the oldest first. DATA_LOSS: damaged; the message names what.
  virtual absl::StatusOr<std::vector<EndedJob>> List() = 0;
};

}  // namespace weir::coordination
