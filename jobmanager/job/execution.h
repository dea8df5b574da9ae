// Execution: the attempts of one start of a job and how far each has come. Pure bookkeeping.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/base/id_source.h"
#include "common/base/ids.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/graph/job_graph.h"
#include "common/graph/plan.h"

namespace weir::job {

// What a checkpoint coordinator must know of a job.
checkpoint::JobFacts MakeJobFacts(JobId job, uint64_t epoch, const graph::Plan& plan,
                                  const graph::JobGraph& graph);

struct Attempt {
  AttemptId id;
  graph::VertexIndex vertex = 0;
  uint32_t subtask = 0;
  checkpoint::TaskState state = checkpoint::TaskState::kDeploying;
  bool has_ended = false;
  bool was_cancelled = false;  // failed only because it was asked to end
};

// Life:      made for one start; an older execution's attempts are unknown to it.
// Thread:    confined to the job's control loop.
// Invariant: live_count() is the number of attempts that have not ended.
class Execution {
 public:
  // Fresh attempt ids for every subtask of `graph`.
  Execution(const graph::JobGraph& graph, base::IdSource& ids);

  const std::vector<Attempt>& attempts() const { return attempts_; }
  std::vector<checkpoint::AttemptFacts> Facts() const;
  // Null: not of this execution.
  const Attempt* Find(AttemptId id) const;

  // Each is false if nothing changes (repeated, late or unknown).
  bool OnRunning(AttemptId id);
  bool OnEnded(AttemptId id, const absl::Status& status);

  size_t live_count() const { return live_count_; }
  bool AllRunning() const { return running_count_ == attempts_.size(); }
  bool AllFinished() const { return finished_count_ == attempts_.size(); }

 private:
  std::vector<Attempt> attempts_;  // vertex by vertex, subtask by subtask
  std::map<AttemptId, size_t> index_;
  size_t live_count_ = 0;
  size_t running_count_ = 0;
  size_t finished_count_ = 0;
};

}  // namespace weir::job
