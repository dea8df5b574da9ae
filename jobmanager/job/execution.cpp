#include "jobmanager/job/execution.h"

#include "common/base/check.h"

namespace weir::job {

checkpoint::JobFacts MakeJobFacts(JobId job, uint64_t epoch, const graph::Plan& plan,
                                  const graph::JobGraph& graph) {
  checkpoint::JobFacts facts;
  facts.job = job;
  facts.name = plan.name;
  facts.epoch = epoch;
  facts.max_parallelism = static_cast<uint32_t>(plan.settings.max_parallelism);
  for (const graph::JobVertex& vertex : graph.vertices) {
    checkpoint::VertexFacts vertex_facts;
    vertex_facts.name = vertex.name;
    vertex_facts.parallelism = vertex.parallelism;
    for (const graph::NodeIndex node : vertex.chain) {
      vertex_facts.operators.push_back(
          {plan.nodes[node].uid, facts.max_parallelism, plan.nodes[node].state_signature});
    }
    for (const graph::EdgeIndex edge : vertex.inputs) {
      const bool forward = graph.edges[edge].partitioning == graph::Partitioning::kForward;
      vertex_facts.inputs.push_back(
          {static_cast<uint32_t>(graph.edges[edge].from),
           forward ? checkpoint::EdgeKind::kForward : checkpoint::EdgeKind::kAllToAll});
    }
    facts.vertices.push_back(std::move(vertex_facts));
  }
  return facts;
}

Execution::Execution(const graph::JobGraph& graph, base::IdSource& ids) {
  for (graph::VertexIndex vertex = 0; vertex < graph.vertices.size(); ++vertex) {
    for (uint32_t subtask = 0; subtask < graph.vertices[vertex].parallelism; ++subtask) {
      const AttemptId id = ids.Make<AttemptId>();
      index_[id] = attempts_.size();
      attempts_.push_back({.id = id, .vertex = vertex, .subtask = subtask});
    }
  }
  live_count_ = attempts_.size();
  WEIR_CHECK(index_.size() == attempts_.size());
}

std::vector<checkpoint::AttemptFacts> Execution::Facts() const {
  std::vector<checkpoint::AttemptFacts> facts;
  facts.reserve(attempts_.size());
  for (const Attempt& attempt : attempts_) {
    facts.push_back({attempt.id, static_cast<uint32_t>(attempt.vertex),
                     SubtaskIndex{attempt.subtask}, attempt.state});
  }
  return facts;
}

const Attempt* Execution::Find(AttemptId id) const {
  const auto it = index_.find(id);
  return it == index_.end() ? nullptr : &attempts_[it->second];
}

bool Execution::OnRunning(AttemptId id) {
  const auto it = index_.find(id);
  if (it == index_.end()) return false;
  Attempt& attempt = attempts_[it->second];
  if (attempt.state != checkpoint::TaskState::kDeploying) return false;
  attempt.state = checkpoint::TaskState::kRunning;
  ++running_count_;
  return true;
}

bool Execution::OnEnded(AttemptId id, const absl::Status& status) {
  const auto it = index_.find(id);
  if (it == index_.end() || attempts_[it->second].has_ended) return false;
  Attempt& attempt = attempts_[it->second];
  attempt.has_ended = true;
  attempt.was_cancelled = absl::IsCancelled(status);
  if (attempt.state == checkpoint::TaskState::kRunning) --running_count_;
  attempt.state = status.ok() ? checkpoint::TaskState::kFinished : checkpoint::TaskState::kFailed;
  if (status.ok()) ++finished_count_;
  --live_count_;
  return true;
}

}  // namespace weir::job
