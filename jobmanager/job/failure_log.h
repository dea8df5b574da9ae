// FailureLog: what went wrong in the newest incidents of a job, and what of it was the cause.
// An incident begins with a failure of a running or starting job and ends when nothing of that
// execution is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/ids.h"

namespace weir::job {

// Most failures kept of one job, over all its incidents.
inline constexpr size_t kFailuresKeptMax = 64;

struct Failure {
  absl::Time at;
  std::string vertex;  // empty: not of one task
  uint32_t subtask = 0;
  TaskManagerId taskmanager;  // nil: this process, or not of one
  std::string host;           // of the taskmanager
  absl::Status status;
};

// Thread:    confined to the job's control loop.
// Invariant: at most kFailuresKeptMax failures; the root cause of the newest incident is one.
class FailureLog {
 public:
  // Later failures belong to a new incident.
  void BeginIncident() { incidents_.emplace_back(); }
  // REQUIRES: an incident has begun. One of the same status on the same taskmanager is ignored: so
  // end all tasks of one that is lost. What falls out is of the oldest incident; within one that
  // alone fills the log, it is the newest failure that is not the root cause.
  void Add(Failure failure);

  // The first failure of the newest incident that is not merely a channel lost to another one, else
  // its first. Null: there is none.
  const Failure* RootCause() const;
  // The newest incident: its root cause, then the others in the order they came.
  std::vector<Failure> Newest() const;
  size_t size() const { return size_; }

 private:
  struct Incident {
    std::vector<Failure> failures;  // in the order they came
    size_t root = 0;                // index of the root cause
  };

  std::deque<Incident> incidents_;  // the oldest first
  size_t size_ = 0;
};

}  // namespace weir::job
