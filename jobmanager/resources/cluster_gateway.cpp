#include "jobmanager/resources/cluster_gateway.h"

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::resources {
namespace {

// The part of `all` for one taskmanager: every task's place, the state of its own tasks.
rpc::JobDeployment PartFor(TaskManagerId id, const rpc::JobDeployment& without_states,
                           std::vector<rpc::TaskDeployment>& tasks) {
  rpc::JobDeployment part = without_states;
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].taskmanager == id) part.tasks[i].states = std::move(tasks[i].states);
  }
  return part;
}

// What settling the sinks takes: the state of every subtask of theirs, all told to one taskmanager,
// which need not be one of those the job is about to run on.
rpc::JobDeployment PreparationFor(const rpc::TaskManagerFacts& preparer,
                                  const rpc::JobDeployment& deployment) {
  std::set<std::string> sinks;
  for (const graph::PlanNode& node : deployment.plan->nodes) {
    if (std::holds_alternative<graph::SinkSpec>(node.spec)) sinks.insert(node.uid);
  }
  rpc::JobDeployment preparation = deployment;
  for (rpc::TaskDeployment& task : preparation.tasks) {
    task.taskmanager = preparer.id;
    std::erase_if(task.states, [&sinks](const auto& part) { return !sinks.contains(part.first); });
  }
  preparation.data_addresses = {{preparer.id, preparer.data_address}};
  return preparation;
}

}  // namespace

absl::Status ClusterGateway::Deploy(rpc::JobDeployment deployment) {
  std::vector<rpc::TaskDeployment> tasks = std::move(deployment.tasks);
  deployment.tasks.clear();
  std::map<TaskManagerId, std::vector<AttemptId>> by_taskmanager;
  for (const rpc::TaskDeployment& task : tasks) {
    WEIR_CHECK(!task.taskmanager.IsNil());
    deployment.tasks.push_back({.attempt = task.attempt,
                                .vertex = task.vertex,
                                .subtask = task.subtask,
                                .taskmanager = task.taskmanager,
                                .states = {}});
    by_taskmanager[task.taskmanager].push_back(task.attempt);
    running_[task.attempt] = {{deployment.job, deployment.epoch, task.attempt}, task.taskmanager};
  }
  JobPlaces& places = places_[deployment.job];
  for (const TaskManagerId id : std::exchange(places.deployed, {})) {
    if (!by_taskmanager.contains(id) && id != places.preparer) ReleaseOn(id, deployment.job);
  }
  for (const auto& [id, attempts] : by_taskmanager) {
    TaskManagerLink* link = registry_.LinkOf(id);
    if (link == nullptr) {
      EndAll(attempts, absl::UnavailableError(absl::StrCat("taskmanager ", id.ToShortString(),
                                                           " was lost before the deployment")));
      continue;
    }
    places.deployed.insert(id);
    const absl::Status sent = link->Deploy(PartFor(id, deployment, tasks));
    if (!sent.ok()) EndAll(attempts, sent);
  }
  return absl::OkStatus();
}

TaskManagerLink* ClusterGateway::LinkOf(AttemptId attempt) const {
  const auto it = running_.find(attempt);
  return it == running_.end() ? nullptr : registry_.LinkOf(it->second.taskmanager);
}

absl::Status ClusterGateway::Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) {
  TaskManagerLink* link = LinkOf(attempt);
  if (link != nullptr) return link->Trigger(attempt, barrier);
  return absl::NotFoundError(absl::StrCat("attempt ", attempt.ToString(), " has ended"));
}

void ClusterGateway::NotifyComplete(AttemptId attempt, CheckpointId id) {
  if (TaskManagerLink* link = LinkOf(attempt); link != nullptr) link->NotifyComplete(attempt, id);
}

void ClusterGateway::NotifyAborted(AttemptId attempt, CheckpointId id) {
  if (TaskManagerLink* link = LinkOf(attempt); link != nullptr) link->NotifyAborted(attempt, id);
}

void ClusterGateway::Cancel(AttemptId attempt) {
  if (TaskManagerLink* link = LinkOf(attempt); link != nullptr) link->Cancel(attempt);
}

void ClusterGateway::ReleaseOn(TaskManagerId id, JobId job) {
  if (TaskManagerLink* link = registry_.LinkOf(id); link != nullptr) link->Release(job);
}

void ClusterGateway::Release(JobId job) {
  auto places = places_.extract(job);
  if (places.empty()) return;
  std::set<TaskManagerId> holders = std::move(places.mapped().deployed);
  if (!places.mapped().preparer.IsNil()) holders.insert(places.mapped().preparer);
  for (const TaskManagerId id : holders) ReleaseOn(id, job);
}

void ClusterGateway::Prepare(const rpc::JobDeployment& deployment, Done done) {
  WEIR_CHECK(!deployment.tasks.empty());
  JobPlaces& places = places_[deployment.job];
  if (registry_.LinkOf(places.preparer) == nullptr) {
    places.preparer = deployment.tasks.front().taskmanager;
  }
  TaskManagerLink* link = registry_.LinkOf(places.preparer);
  if (link != nullptr) {
    const rpc::TaskManagerFacts& preparer = registry_.Find(places.preparer)->facts;
    return link->Prepare(PreparationFor(preparer, deployment), std::move(done));
  }
  done(absl::UnavailableError(absl::StrCat("taskmanager ", places.preparer.ToShortString(),
                                           " was lost before the deployment")));
}

void ClusterGateway::OnTaskRunning(const checkpoint::Sender& sender) {
  events_.OnTaskRunning(sender);
}

void ClusterGateway::OnEndOfData(const checkpoint::Sender& sender) {
  events_.OnEndOfData(sender);
}

void ClusterGateway::OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) {
  if (running_.erase(sender.attempt) > 0) events_.OnTaskEnded(sender, status);
}

void ClusterGateway::OnAck(checkpoint::AckFacts ack) {
  events_.OnAck(std::move(ack));
}

void ClusterGateway::OnDecline(const checkpoint::DeclineFacts& decline) {
  events_.OnDecline(decline);
}

void ClusterGateway::EndAll(const std::vector<AttemptId>& attempts, const absl::Status& cause) {
  for (const AttemptId attempt : attempts) {
    auto ended = running_.extract(attempt);
    if (!ended.empty()) events_.OnTaskEnded(ended.mapped().sender, cause);
  }
}

void ClusterGateway::OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) {
  const TaskManagerId id = taskmanager.facts.id;
  std::vector<AttemptId> attempts;
  for (const auto& [attempt, running] : running_) {
    if (running.taskmanager == id) attempts.push_back(attempt);
  }
  EndAll(attempts, absl::UnavailableError(absl::StrCat("taskmanager ", NameOf(taskmanager.facts),
                                                       " was lost: ", cause.message())));
  for (auto& [job, places] : places_) places.deployed.erase(id);
}

}  // namespace weir::resources
