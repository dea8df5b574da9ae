#include "taskmanager/task/job_execution.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/connectors/factory.h"
#include "taskmanager/operators/factory.h"

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

// Steps a task until it has ended.
void RunTask(Task& task, const base::Clock& clock) {
  for (;;) {
    switch (task.Step()) {
      case StepResult::kFinished:
        return;
      case StepResult::kIdle:
        task.mailbox().WaitFor(task.NextWake() - clock.SteadyNow());
        break;
      case StepResult::kRan:
        break;
    }
  }
}

}  // namespace

JobExecution::JobExecution(rpc::JobDeployment deployment, TaskServices services,
                           fs::FileSystem& files)
    : deployment_(std::move(deployment)), services_(services), files_(files) {
}

JobExecution::~JobExecution() {
  for (const std::unique_ptr<Task>& task : tasks_) task->Cancel();
  threads_.clear();
}

absl::StatusOr<std::unique_ptr<JobExecution>> JobExecution::Make(rpc::JobDeployment deployment,
                                                                 TaskServices services,
                                                                 fs::FileSystem& files) {
  std::vector<rpc::TaskDeployment> tasks = std::move(deployment.tasks);
  deployment.tasks.clear();
  auto execution =
      std::unique_ptr<JobExecution>(new JobExecution(std::move(deployment), services, files));
  WEIR_RETURN_IF_ERROR(execution->MakeOperators());
  for (rpc::TaskDeployment& task : tasks) execution->MakeTask(task);
  const graph::JobGraph& graph = *execution->deployment_.graph;
  for (const graph::JobEdge& edge : graph.edges) {
    for (uint32_t i = 0; i < graph.vertices[edge.from].parallelism; ++i) {
      execution->WireEdge(edge, i);
    }
  }
  return execution;
}

absl::Status JobExecution::MakeOperators() {
  const graph::Plan& plan = *deployment_.plan;
  for (graph::NodeIndex i = 0; i < plan.nodes.size(); ++i) {
    const graph::PlanNode& node = plan.nodes[i];
    NodeOperator& made = operators_[i];
    if (node.IsSource()) {
      WEIR_ASSIGN_OR_RETURN(made.source, connectors::MakeSource(node));
    } else if (std::holds_alternative<graph::SinkSpec>(node.spec)) {
      WEIR_ASSIGN_OR_RETURN(made.op, connectors::MakeSink(node));
    } else {
      WEIR_ASSIGN_OR_RETURN(made.op, operators::MakeOperator(node, plan));
    }
  }
  return absl::OkStatus();
}

std::unique_ptr<OperatorRuntime> JobExecution::MakeRuntime(const rpc::TaskDeployment& deployed,
                                                           graph::NodeIndex node_index) const {
  const graph::Plan& plan = *deployment_.plan;
  const graph::PlanNode& node = plan.nodes[node_index];
  const uint32_t max_parallelism = static_cast<uint32_t>(plan.settings.max_parallelism);
  auto runtime = std::make_unique<OperatorRuntime>(
      state::RangeOfSubtask(deployed.subtask, node.parallelism, max_parallelism), max_parallelism);
  runtime->node_id = node.id;
  runtime->uid = node.uid;
  const NodeOperator& made = operators_.at(node_index);
  runtime->source = made.source.get();
  runtime->op = made.op.get();
  runtime->context = std::make_unique<operators::SubtaskContext>(
      operators::SubtaskContext{.job = deployment_.job,
                                .attempt = deployed.attempt,
                                .attempt_number = static_cast<uint32_t>(deployment_.generation),
                                .node_id = node.id,
                                .subtask = deployed.subtask,
                                .parallelism = node.parallelism,
                                .max_parallelism = max_parallelism,
                                .restored = deployment_.restored,
                                .keyed = runtime->keyed,
                                .lists = runtime->lists,
                                .metrics = runtime->metrics,
                                .clock = services_.clock,
                                .files = files_});
  return runtime;
}

uint32_t JobExecution::ProducersPerSubtask(const graph::JobEdge& edge) const {
  if (edge.partitioning == Partitioning::kForward) return 1;
  return deployment_.graph->vertices[edge.from].parallelism;
}

uint32_t JobExecution::ChannelBase(const graph::JobVertex& consumer, graph::EdgeIndex edge) const {
  uint32_t base = 0;
  for (const graph::EdgeIndex input : consumer.inputs) {
    if (input == edge) return base;
    base += ProducersPerSubtask(deployment_.graph->edges[input]);
  }
  WEIR_CHECK(false);
  return 0;
}

void JobExecution::MakeTask(rpc::TaskDeployment& deployed) {
  const graph::JobVertex& vertex = deployment_.graph->vertices[deployed.vertex];
  std::vector<std::unique_ptr<OperatorRuntime>> runtimes;
  for (const graph::NodeIndex node : vertex.chain) runtimes.push_back(MakeRuntime(deployed, node));
  std::vector<types::SchemaPtr> channels;
  for (const graph::EdgeIndex input : vertex.inputs) {
    const graph::JobEdge& edge = deployment_.graph->edges[input];
    channels.insert(channels.end(), ProducersPerSubtask(edge), edge.schema);
  }
  TaskIdentity identity{.sender = {deployment_.job, deployment_.epoch, deployed.attempt},
                        .vertex_name = vertex.name,
                        .subtask = deployed.subtask,
                        .parallelism = vertex.parallelism};
  TaskRestore restore{deployment_.restored, deployment_.restored_location,
                      std::move(deployed.states)};
  tasks_.push_back(std::make_unique<Task>(std::move(identity), services_, std::move(runtimes),
                                          std::move(channels), std::move(restore)));
  by_attempt_[deployed.attempt] = tasks_.back().get();
  by_place_[{deployed.vertex, deployed.subtask}] = tasks_.back().get();
}

Task& JobExecution::TaskOf(graph::VertexIndex vertex, uint32_t subtask) const {
  return *by_place_.at({vertex, subtask});
}

void JobExecution::WireEdge(const graph::JobEdge& edge, uint32_t producer) {
  const graph::JobGraph& graph = *deployment_.graph;
  const graph::Plan& plan = *deployment_.plan;
  const graph::JobVertex& consumer = graph.vertices[edge.to];
  const graph::EdgeIndex index = static_cast<graph::EdgeIndex>(&edge - graph.edges.data());
  const bool forward = edge.partitioning == Partitioning::kForward;
  const uint32_t channel = ChannelBase(consumer, index) + (forward ? 0 : producer);
  Task& from = TaskOf(edge.from, producer);
  std::vector<std::unique_ptr<network::ChannelSender>> senders;
  for (uint32_t i = 0; i < consumer.parallelism; ++i) {
    if (!graph::Connects(edge, producer, i)) continue;
    senders.push_back(
        std::make_unique<network::LocalSender>(TaskOf(edge.to, i).gate(), channel, from.mailbox()));
  }
  const graph::PlanNode& tail = plan.nodes[graph.vertices[edge.from].chain.back()];
  network::OutputEdgeOptions options{
      .partitioning = edge.partitioning,
      .key = edge.key,
      .max_parallelism = static_cast<uint32_t>(plan.settings.max_parallelism),
      .schema = edge.schema,
      .splits_updates = SplitsUpdates(tail.changelog, edge),
      .buffer_timeout = plan.settings.buffer_timeout,
      .subtask = producer};
  from.AddEdge(std::make_unique<network::OutputEdge>(std::move(options), std::move(senders)));
}

void JobExecution::Start() {
  WEIR_CHECK(threads_.empty());
  for (const std::unique_ptr<Task>& task : tasks_) {
    threads_.push_back(std::make_unique<base::Thread>(
        absl::StrCat("task ", task->identity().vertex_name, " ", task->identity().subtask),
        [&task = *task, &clock = services_.clock] { RunTask(task, clock); }));
  }
}

Task* JobExecution::Find(AttemptId attempt) {
  const auto it = by_attempt_.find(attempt);
  return it == by_attempt_.end() ? nullptr : it->second;
}

void JobExecution::ForEachMetrics(
    const std::function<void(const std::string& node_id, const operators::OperatorMetrics&)>& visit)
    const {
  for (const std::unique_ptr<Task>& task : tasks_) {
    for (const std::unique_ptr<OperatorRuntime>& runtime : task->runtimes()) {
      visit(runtime->node_id, runtime->metrics);
    }
  }
}

}  // namespace weir::task
