#include "taskmanager/app/task_manager_app.h"

#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"

namespace weir::taskmanager {

absl::Status TaskManagerApp::Deploy(rpc::JobDeployment deployment) {
  execution_.reset();
  const task::TaskServices services{services_.clock, services_.io, services_.places,
                                    services_.events};
  WEIR_ASSIGN_OR_RETURN(execution_,
                        task::JobExecution::Make(std::move(deployment), services, services_.files));
  execution_->Start();
  return absl::OkStatus();
}

absl::Status TaskManagerApp::Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) {
  task::Task* task = execution_ == nullptr ? nullptr : execution_->Find(attempt);
  if (task == nullptr) {
    return absl::NotFoundError(absl::StrCat("no attempt ", attempt.ToString(), " runs here"));
  }
  task->Trigger(barrier);
  return absl::OkStatus();
}

void TaskManagerApp::NotifyComplete(AttemptId attempt, CheckpointId id) {
  task::Task* task = execution_ == nullptr ? nullptr : execution_->Find(attempt);
  if (task != nullptr) task->NotifyComplete(id);
}

void TaskManagerApp::NotifyAborted(AttemptId attempt, CheckpointId id) {
  task::Task* task = execution_ == nullptr ? nullptr : execution_->Find(attempt);
  if (task != nullptr) task->NotifyAborted(id);
}

void TaskManagerApp::Cancel(AttemptId attempt) {
  task::Task* task = execution_ == nullptr ? nullptr : execution_->Find(attempt);
  if (task != nullptr) task->Cancel();
}

void TaskManagerApp::ForEachMetrics(
    const std::function<void(const std::string& node_id, const operators::OperatorMetrics&)>& visit)
    const {
  if (execution_ != nullptr) execution_->ForEachMetrics(visit);
}

}  // namespace weir::taskmanager
