#include "common/checkpoint/task_table.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/checkpoint/ack_ledger.h"

namespace weir::checkpoint {

TaskTable::TaskTable(const JobFacts& job) : job_(job), finished_counts_(job.vertices.size(), 0) {
  for (uint32_t v = 0; v < job.vertices.size(); ++v) {
    const VertexFacts& vertex = job.vertices[v];
    WEIR_CHECK(vertex.parallelism > 0);
    first_tasks_.push_back(task_count());
    for (const VertexInput& input : vertex.inputs) {
      WEIR_CHECK(input.vertex < job.vertices.size());
      WEIR_CHECK(input.kind != EdgeKind::kForward ||
                 job.vertices[input.vertex].parallelism == vertex.parallelism);
    }
    for (uint32_t i = 0; i < vertex.parallelism; ++i) {
      tasks_.push_back({.attempt = {}, .vertex = v, .subtask = SubtaskIndex{i}});
    }
  }
  WEIR_CHECK(tasks_.size() <= kSubtaskCountMax);
}

void TaskTable::Deploy(const std::vector<AttemptFacts>& attempts) {
  WEIR_CHECK(attempts.size() == tasks_.size());
  by_attempt_.clear();
  std::fill(finished_counts_.begin(), finished_counts_.end(), 0);
  std::vector<bool> seen(tasks_.size(), false);
  for (const AttemptFacts& facts : attempts) {
    WEIR_CHECK(facts.vertex < job_.vertices.size());
    WEIR_CHECK(ToInt(facts.subtask) < job_.vertices[facts.vertex].parallelism);
    const uint32_t task = first_tasks_[facts.vertex] + ToInt(facts.subtask);
    WEIR_CHECK(!seen[task]);
    seen[task] = true;
    tasks_[task] = {.attempt = facts.attempt,
                    .vertex = facts.vertex,
                    .subtask = facts.subtask,
                    .state = facts.state};
    if (facts.state == TaskState::kFinished) ++finished_counts_[facts.vertex];
    WEIR_CHECK(by_attempt_.emplace(facts.attempt, task).second);
  }
  deployed_ = true;
}

std::string TaskTable::NameOf(uint32_t task) const {
  const Task& named = tasks_[task];
  const VertexFacts& vertex = VertexOf(named);
  return absl::StrCat(vertex.name, " (", ToInt(named.subtask) + 1, "/", vertex.parallelism, ")");
}

bool TaskTable::Find(AttemptId attempt, uint32_t* task) const {
  const auto found = by_attempt_.find(attempt);
  if (found == by_attempt_.end()) return false;
  *task = found->second;
  return true;
}

bool TaskTable::SetState(uint32_t task, TaskState state) {
  WEIR_CHECK(task < tasks_.size());
  Task& changed = tasks_[task];
  const bool has_ended =
      changed.state == TaskState::kFinished || changed.state == TaskState::kFailed;
  if (has_ended || changed.state == state) return false;
  changed.state = state;
  if (state == TaskState::kFinished) ++finished_counts_[changed.vertex];
  WEIR_CHECK(finished_counts_[changed.vertex] <= VertexOf(changed).parallelism);
  return true;
}

void TaskTable::SetEndOfData(uint32_t task) {
  WEIR_CHECK(task < tasks_.size());
  tasks_[task].end_of_data = true;
}

bool TaskTable::ProducersFinished(const Task& task) const {
  for (const VertexInput& input : VertexOf(task).inputs) {
    if (input.kind == EdgeKind::kForward) {
      const Task& producer = tasks_[first_tasks_[input.vertex] + ToInt(task.subtask)];
      if (producer.state != TaskState::kFinished) return false;
    } else if (finished_counts_[input.vertex] < job_.vertices[input.vertex].parallelism) {
      return false;
    }
  }
  return true;
}

std::vector<uint32_t> TaskTable::ToTrigger() const {
  std::vector<uint32_t> triggered;
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    const Task& task = tasks_[i];
    if (task.state == TaskState::kRunning && ProducersFinished(task)) triggered.push_back(i);
  }
  return triggered;
}

absl::Status TaskTable::CheckReady() const {
  if (!deployed_) return absl::FailedPreconditionError("no task of the job is deployed");
  bool any_left = false;
  for (uint32_t i = 0; i < tasks_.size(); ++i) {
    const Task& task = tasks_[i];
    if (task.state == TaskState::kFinished) continue;
    any_left = true;
    if (task.state == TaskState::kFailed) {
      return absl::FailedPreconditionError(absl::StrCat("task ", NameOf(i), " has failed"));
    }
    if (task.state != TaskState::kRunning && ProducersFinished(task)) {
      return absl::FailedPreconditionError(absl::StrCat("task ", NameOf(i), " is not running"));
    }
  }
  if (!any_left) return absl::FailedPreconditionError("all tasks of the job have finished");
  return absl::OkStatus();
}

bool TaskTable::AllAtEndOfData() const {
  if (!deployed_) return false;
  bool any_left = false;
  for (const Task& task : tasks_) {
    if (task.state == TaskState::kFinished) continue;
    if (task.state == TaskState::kFailed || !task.end_of_data) return false;
    any_left = true;
  }
  return any_left;
}

}  // namespace weir::checkpoint
