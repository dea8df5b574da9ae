// TaskTable: the subtasks of one execution, and which of them a checkpoint triggers and awaits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/base/ids.h"
#include "common/checkpoint/coordinator_facts.h"

namespace weir::checkpoint {

struct Task {
  AttemptId attempt;
  uint32_t vertex = 0;
  SubtaskIndex subtask{0};
  TaskState state = TaskState::kDeploying;
  bool end_of_data = false;  // has consumed all its input
};

// Tasks are numbered vertex by vertex, subtask by subtask; the numbers are equal in every
// execution.
//
// Thread:    confined to the coordinator thread.
// Invariant: finished_counts_[v] equals the number of finished tasks of vertex v.
class TaskTable {
 public:
  // `job` is borrowed and must outlive the table. REQUIRES: at most kSubtaskCountMax subtasks,
  // every input names a vertex, forward inputs join equal parallelism.
  explicit TaskTable(const JobFacts& job);

  // REQUIRES: exactly one attempt per subtask.
  void Deploy(const std::vector<AttemptFacts>& attempts);
  bool is_deployed() const { return deployed_; }

  const std::vector<Task>& tasks() const { return tasks_; }
  uint32_t task_count() const { return static_cast<uint32_t>(tasks_.size()); }
  const VertexFacts& VertexOf(const Task& task) const { return job_.vertices[task.vertex]; }
  // For people: "word-count (2/4)".
  std::string NameOf(uint32_t task) const;
  // False: not an attempt of this execution.
  bool Find(AttemptId attempt, uint32_t* task) const;

  // False if nothing changes: repeated, or the task has ended before.
  bool SetState(uint32_t task, TaskState state);
  void SetEndOfData(uint32_t task);

  // The running subtasks all of whose producers have finished: the sources while they run.
  std::vector<uint32_t> ToTrigger() const;
  // FAILED_PRECONDITION: names a task that is to be triggered and does not run, one that has
  // failed, or says that none is left.
  absl::Status CheckReady() const;
  // Every task that has not finished has consumed its input, and there is one.
  bool AllAtEndOfData() const;

 private:
  bool ProducersFinished(const Task& task) const;

  const JobFacts& job_;
  std::vector<uint32_t> first_tasks_;  // per vertex
  std::vector<uint32_t> finished_counts_;
  std::vector<Task> tasks_;
  std::map<AttemptId, uint32_t> by_attempt_;
  bool deployed_ = false;
};

}  // namespace weir::checkpoint
