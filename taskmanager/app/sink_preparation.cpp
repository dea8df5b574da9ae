// What the sinks of a job settle once per start, before any subtask runs.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taskmanager/app/task_manager_app.h"

namespace weir::taskmanager {
namespace {

std::map<std::string, std::vector<state::OperatorStateHandle>> HandlesOf(
    const rpc::JobDeployment& deployment) {
  std::map<std::string, std::vector<state::OperatorStateHandle>> handles;
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    for (const auto& [uid, part] : task.states) {
      std::vector<state::OperatorStateHandle>& all = handles[uid];
      all.insert(all.end(), part.operator_managed.begin(), part.operator_managed.end());
    }
  }
  return handles;
}

}  // namespace

void TaskManagerApp::Prepare(const rpc::JobDeployment& deployment, Done done) {
  std::shared_ptr<connectors::SinkOwnership>& held = jobs_[deployment.job].ownership;
  if (held == nullptr) held = std::make_shared<connectors::SinkOwnership>();
  services_.io.Run([this, ownership = held, plan = deployment.plan, job = deployment.job,
                    start = connectors::JobStart{deployment.epoch, deployment.generation},
                    restored = deployment.restored, location = deployment.restored_location,
                    handles = HandlesOf(deployment), done = std::move(done)]() mutable {
    absl::StatusOr<rpc::SinkPreparation> prepared = rpc::SinkPreparation{};
    std::unique_ptr<state::SnapshotInputFactory> inputs;
    if (restored != kNoCheckpoint) {
      absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> opened =
          services_.places.InputsFor(location);
      if (opened.ok()) {
        inputs = *std::move(opened);
      } else {
        prepared = opened.status();
      }
    }
    if (prepared.ok()) {
      const absl::StatusOr<CheckpointId> highest =
          connectors::PrepareSinks(services_.files, *plan, job, start,
                                   {restored, std::move(handles), inputs.get()}, ownership.get());
      if (highest.ok()) {
        prepared->highest_seen = *highest;
      } else {
        prepared = highest.status();
      }
    }
    services_.loop.PostControl([done = std::move(done), prepared = std::move(prepared)]() mutable {
      done(std::move(prepared));
    });
  });
}

}  // namespace weir::taskmanager
