#include "taskmanager/app/task_manager_app.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/status_macros.h"

namespace weir::taskmanager {

absl::Status TaskManagerApp::Deploy(rpc::JobDeployment deployment) {
  const std::string what =
      absl::StrCat("job=", deployment.job.ToString(), " name=", deployment.plan->name,
                   " generation=", deployment.generation, " restored=", ToInt(deployment.restored));
  JobHere& here = jobs_[deployment.job];
  here.execution.reset();
  const task::ExecutionServices services{.tasks = {services_.clock, services_.io, services_.places,
                                                   services_.events, services_.state_memory},
                                         .files = services_.files,
                                         .self = services_.self,
                                         .channels = services_.channels};
  absl::StatusOr<std::unique_ptr<task::JobExecution>> made =
      task::JobExecution::Make(std::move(deployment), services);
  if (!made.ok()) {
    LOG(WARNING) << "tasks refused " << what << " cause=" << made.status();
    return made.status();
  }
  here.execution = *std::move(made);
  LOG(INFO) << "tasks deployed " << what << " tasks=" << here.execution->tasks().size();
  here.execution->Start();
  return absl::OkStatus();
}

task::Task* TaskManagerApp::Find(AttemptId attempt) const {
  for (const auto& [job, here] : jobs_) {
    task::Task* task = here.execution == nullptr ? nullptr : here.execution->Find(attempt);
    if (task != nullptr) return task;
  }
  return nullptr;
}

absl::Status TaskManagerApp::Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) {
  task::Task* task = Find(attempt);
  if (task == nullptr) {
    return absl::NotFoundError(absl::StrCat("no attempt ", attempt.ToString(), " runs here"));
  }
  task->Trigger(barrier);
  return absl::OkStatus();
}

void TaskManagerApp::NotifyComplete(AttemptId attempt, CheckpointId id) {
  if (task::Task* task = Find(attempt); task != nullptr) task->NotifyComplete(id);
}

void TaskManagerApp::NotifyAborted(AttemptId attempt, CheckpointId id) {
  if (task::Task* task = Find(attempt); task != nullptr) task->NotifyAborted(id);
}

void TaskManagerApp::Cancel(AttemptId attempt) {
  if (task::Task* task = Find(attempt); task != nullptr) Cancel(*task);
}

void TaskManagerApp::Cancel(task::Task& task) {
  const task::TaskIdentity& identity = task.identity();
  cancelled_.OnCancel(identity.sender.attempt,
                      absl::StrCat(identity.vertex_name, "[", identity.subtask, "] of job ",
                                   identity.sender.job.ToString()),
                      task.ended(), services_.clock.SteadyNow());
  task.Cancel();
}

std::vector<std::string> TaskManagerApp::OverdueTasks() {
  return cancelled_.Overdue(services_.clock.SteadyNow());
}

void TaskManagerApp::Release(JobId job) {
  if (jobs_.erase(job) > 0) LOG(INFO) << "tasks released job=" << job.ToString();
}

void TaskManagerApp::CancelAll(absl::AnyInvocable<void()> done) {
  if (jobs_.empty()) return done();
  for (const auto& [job, here] : jobs_) {
    if (here.execution == nullptr) continue;
    for (const auto& task : here.execution->tasks()) Cancel(*task);
  }
  auto ending = std::make_shared<std::map<JobId, JobHere>>(std::move(jobs_));
  jobs_.clear();
  // Destroying an execution waits for its tasks, which a loop must not.
  services_.io.Run(
      [ending = std::move(ending), &loop = services_.loop, done = std::move(done)]() mutable {
        ending->clear();
        loop.PostControl(std::move(done));
      });
}

std::vector<rpc::TaskCounts> TaskManagerApp::Counts() const {
  std::vector<rpc::TaskCounts> all;
  for (const auto& [job, here] : jobs_) {
    if (here.execution == nullptr) continue;
    std::vector<rpc::TaskCounts> counts = here.execution->Counts();
    all.insert(all.end(), std::make_move_iterator(counts.begin()),
               std::make_move_iterator(counts.end()));
  }
  return all;
}

}  // namespace weir::taskmanager
