#include "jobmanager/dispatcher/job_details.h"

#include <string>

#include "common/base/check.h"

namespace weir::dispatcher {
namespace {

using checkpoint::TaskState;
using job::JobState;

std::string NameOf(const job::Attempt& attempt) {
  switch (attempt.state) {
    case TaskState::kDeploying:
      return "DEPLOYING";
    case TaskState::kRunning:
      return "RUNNING";
    case TaskState::kFinished:
      return "FINISHED";
    case TaskState::kFailed:
      return attempt.was_cancelled ? "CANCELED" : "FAILED";
  }
  return "UNKNOWN";
}

std::string ShortName(TaskManagerId id) {
  return id.IsNil() ? std::string() : id.ToShortString();
}

}  // namespace

coordination::JobEnd EndOf(JobState state) {
  WEIR_CHECK(job::HasEnded(state));
  switch (state) {
    case JobState::kFinished:
      return coordination::JobEnd::kFinished;
    case JobState::kCanceled:
      return coordination::JobEnd::kCanceled;
    case JobState::kSuspended:
      return coordination::JobEnd::kSuspended;
    default:
      return coordination::JobEnd::kFailed;
  }
}

void CountTasks(const job::Job& job, JobSummary* summary) {
  summary->tasks_running = summary->tasks_finished = summary->tasks_failed = 0;
  if (job.execution() == nullptr) return;
  for (const job::Attempt& attempt : job.execution()->attempts()) {
    if (attempt.state == TaskState::kRunning) ++summary->tasks_running;
    if (attempt.state == TaskState::kFinished) ++summary->tasks_finished;
    if (attempt.state == TaskState::kFailed && !attempt.was_cancelled) ++summary->tasks_failed;
  }
}

std::vector<SubtaskDetail> SubtasksOf(const job::Job& job) {
  std::vector<SubtaskDetail> subtasks;
  if (job.execution() == nullptr) return subtasks;
  for (const job::Attempt& attempt : job.execution()->attempts()) {
    const TaskManagerId taskmanager = job.slots().slots[attempt.subtask];
    const auto place = job.slots().places.find(taskmanager);
    subtasks.push_back({.vertex = job.description().graph->vertices[attempt.vertex].name,
                        .subtask = attempt.subtask,
                        .state = NameOf(attempt),
                        .attempt = attempt.id,
                        .taskmanager = ShortName(taskmanager),
                        .host = place == job.slots().places.end() ? "" : place->second.host});
  }
  return subtasks;
}

std::vector<FailureDetail> FailuresOf(const job::Job& job) {
  std::vector<FailureDetail> failures;
  for (const job::Failure& failure : job.failures().Newest()) {
    failures.push_back({.at = failure.at,
                        .vertex = failure.vertex,
                        .subtask = failure.subtask,
                        .taskmanager = ShortName(failure.taskmanager),
                        .host = failure.host,
                        .message = std::string(failure.status.message())});
  }
  return failures;
}

}  // namespace weir::dispatcher
