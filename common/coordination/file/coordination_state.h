// CoordinationState: what the records of a log add up to. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <absl/status/status.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"
#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"

namespace weir::coordination {

// A completed checkpoint and where it lies.
struct ListedCheckpoint {
  CheckpointId id = kNoCheckpoint;
  std::string location;  // absolute, or relative to the job's checkpoint directory

  bool operator==(const ListedCheckpoint&) const = default;
};

// One change each. Applying one twice changes nothing more.
struct LeaderBegins {
  std::string holder;  // for people: "process 4711"
};
struct JobPut {
  StoredJob job;
};
struct JobRemoved {
  JobId job;
};
// A change of its own: a job is put once, and its descriptor may be large.
struct JobCancelled {
  JobId job;
};
struct ResultPut {
  EndedJob job;
};
struct ResultRemoved {
  JobId job;
};
// Ids below `next` may be in use.
struct CounterSet {
  JobId job;
  int64_t next = 1;
};
struct CounterRemoved {
  JobId job;
};
// The whole list, rising; empty: none.
struct CheckpointsSet {
  JobId job;
  std::vector<ListedCheckpoint> listed;
};
using Change = std::variant<LeaderBegins, JobPut, JobRemoved, ResultPut, ResultRemoved, CounterSet,
                            CounterRemoved, CheckpointsSet, JobCancelled>;

// What puts a job as it is.
std::vector<Change> ChangesOf(const StoredJob& job);

// Thread: confined to whoever owns it.
class CoordinationState {
 public:
  void Apply(const Change& change);

  const std::map<JobId, StoredJob>& jobs() const { return jobs_; }
  const std::map<JobId, EndedJob>& results() const { return results_; }
  bool HasCounter(JobId job) const { return counters_.contains(job); }
  // 1 if nothing is known.
  int64_t NextId(JobId job) const;
  std::vector<ListedCheckpoint> Checkpoints(JobId job) const;

  // Changes that make this state out of an empty one.
  std::vector<Change> All() const;

 private:
  std::map<JobId, StoredJob> jobs_;
  std::map<JobId, EndedJob> results_;
  std::map<JobId, int64_t> counters_;
  std::map<JobId, std::vector<ListedCheckpoint>> checkpoints_;
};

// A record's payload: any number of changes, applied together.
std::string EncodeChanges(const std::vector<Change>& changes);
// DATA_LOSS: not such a payload. Nothing is allocated before its size was checked.
absl::StatusOr<std::vector<Change>> DecodeChanges(StringView payload);

}  // namespace weir::coordination
