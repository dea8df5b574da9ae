// How the tasks of an execution are wired: by pointer where both ends are here, else by channels of
// the data plane.
#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "taskmanager/task/job_execution.h"

namespace weir::task {
namespace {

using graph::Partitioning;

// The two rows of an update stay on one channel if the columns they are dealt out by cannot differ
// between them, which only holds for columns of the key.
bool SplitsUpdates(const graph::Changelog& changelog, const graph::JobEdge& edge) {
  if (!changelog.IsUpdating() || edge.partitioning != Partitioning::kHash) return false;
  if (changelog.mode != graph::ChangelogMode::kUpsert) return true;
  return !std::all_of(edge.key.begin(), edge.key.end(), [&](size_t column) {
    return std::find(changelog.key.begin(), changelog.key.end(), column) != changelog.key.end();
  });
}

}  // namespace

uint32_t JobExecution::ProducersPerSubtask(const graph::JobEdge& edge) const {
  if (edge.partitioning == Partitioning::kForward) return 1;
  return deployment_.graph->vertices[edge.from].parallelism;
}

// The place of `producer` among the channels of every consumer it sends to.
uint32_t JobExecution::ChannelOf(graph::EdgeIndex edge, uint32_t producer) const {
  const graph::JobGraph& graph = *deployment_.graph;
  const bool forward = graph.edges[edge].partitioning == Partitioning::kForward;
  uint32_t channel = forward ? 0 : producer;
  for (const graph::EdgeIndex input : graph.vertices[graph.edges[edge].to].inputs) {
    if (input == edge) return channel;
    channel += ProducersPerSubtask(graph.edges[input]);
  }
  WEIR_CHECK(false);
  return 0;
}

Task* JobExecution::TaskAt(graph::VertexIndex vertex, uint32_t subtask) const {
  const auto it = by_place_.find({vertex, subtask});
  return it == by_place_.end() ? nullptr : it->second;
}

network::ChannelName JobExecution::NameOf(graph::EdgeIndex edge, uint32_t producer,
                                          uint32_t consumer) const {
  return {.job = deployment_.job,
          .epoch = deployment_.epoch,
          .generation = deployment_.generation,
          .edge = static_cast<uint32_t>(edge),
          .producer = producer,
          .consumer = consumer};
}

void JobExecution::WireEdges() {
  const graph::JobGraph& graph = *deployment_.graph;
  for (graph::EdgeIndex edge = 0; edge < graph.edges.size(); ++edge) {
    const graph::JobVertex& from = graph.vertices[graph.edges[edge].from];
    const graph::JobVertex& to = graph.vertices[graph.edges[edge].to];
    for (uint32_t i = 0; i < to.parallelism; ++i) WireConsumer(edge, i);
    for (uint32_t i = 0; i < from.parallelism; ++i) WireProducer(edge, i);
  }
}

// Makes the places at which rows from other processes arrive.
void JobExecution::WireConsumer(graph::EdgeIndex edge, uint32_t consumer) {
  const graph::JobEdge& job_edge = deployment_.graph->edges[edge];
  Task* task = TaskAt(job_edge.to, consumer);
  if (task == nullptr) return;
  for (uint32_t i = 0; i < deployment_.graph->vertices[job_edge.from].parallelism; ++i) {
    if (!graph::Connects(job_edge, i, consumer) || TaskAt(job_edge.from, i) != nullptr) continue;
    receivers_.push_back(
        services_.channels->Expect(NameOf(edge, i, consumer), task->gate(), ChannelOf(edge, i),
                                   [task](const absl::Status& cause) { task->Fail(cause); }));
  }
}

std::unique_ptr<network::ChannelSender> JobExecution::MakeSender(graph::EdgeIndex edge,
                                                                 uint32_t producer,
                                                                 uint32_t consumer) {
  const graph::JobEdge& job_edge = deployment_.graph->edges[edge];
  Task* from = TaskAt(job_edge.from, producer);
  if (Task* to = TaskAt(job_edge.to, consumer); to != nullptr) {
    return std::make_unique<network::LocalSender>(to->gate(), ChannelOf(edge, producer),
                                                  from->mailbox());
  }
  const TaskManagerId place = places_.at({job_edge.to, consumer});
  const size_t channels = deployment_.graph->vertices[job_edge.to].parallelism;
  return services_.channels->Open(NameOf(edge, producer, consumer),
                                  deployment_.data_addresses.at(place), channels, from->mailbox(),
                                  [from](const absl::Status& cause) { from->Fail(cause); });
}

void JobExecution::WireProducer(graph::EdgeIndex edge, uint32_t producer) {
  const graph::JobGraph& graph = *deployment_.graph;
  const graph::JobEdge& job_edge = graph.edges[edge];
  Task* from = TaskAt(job_edge.from, producer);
  if (from == nullptr) return;
  std::vector<std::unique_ptr<network::ChannelSender>> senders;
  for (uint32_t i = 0; i < graph.vertices[job_edge.to].parallelism; ++i) {
    if (graph::Connects(job_edge, producer, i)) senders.push_back(MakeSender(edge, producer, i));
  }
  const graph::Plan& plan = *deployment_.plan;
  const graph::PlanNode& tail = plan.nodes[graph.vertices[job_edge.from].chain.back()];
  network::OutputEdgeOptions options{
      .partitioning = job_edge.partitioning,
      .key = job_edge.key,
      .max_parallelism = static_cast<uint32_t>(plan.settings.max_parallelism),
      .schema = job_edge.schema,
      .splits_updates = SplitsUpdates(tail.changelog, job_edge),
      .buffer_timeout = plan.settings.buffer_timeout,
      .subtask = producer};
  from->AddEdge(std::make_unique<network::OutputEdge>(std::move(options), std::move(senders)));
}

}  // namespace weir::task
