#include "taskmanager/task/job_execution.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "taskmanager/connectors/factory.h"
#include "taskmanager/operators/factory.h"
#include "taskmanager/task/process_limits.h"

namespace weir::task {
namespace {

// As good as distinct for every execution of a job, by whichever jobmanager.
uint32_t AttemptNumberOf(const rpc::JobDeployment& deployment) {
  return static_cast<uint32_t>(
      base::MixBits(deployment.generation ^ base::MixBits(deployment.epoch)));
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

JobExecution::JobExecution(rpc::JobDeployment deployment, ExecutionServices services)
    : deployment_(std::move(deployment)), services_(std::move(services)) {
}

JobExecution::~JobExecution() {
  for (const std::unique_ptr<Task>& task : tasks_) task->Cancel();
  threads_.clear();
}

absl::StatusOr<std::unique_ptr<JobExecution>> JobExecution::Make(rpc::JobDeployment deployment,
                                                                 ExecutionServices services) {
  const TaskManagerId self = services.self;
  auto execution =
      std::unique_ptr<JobExecution>(new JobExecution(std::move(deployment), std::move(services)));
  WEIR_RETURN_IF_ERROR(execution->CheckPlaces());
  WEIR_RETURN_IF_ERROR(execution->MakeOperators());
  for (rpc::TaskDeployment& task : execution->deployment_.tasks) {
    if (task.taskmanager == self) execution->MakeTask(task);
  }
  execution->WireEdges();
  return execution;
}

// The deployment came from another process: every subtask is there once, and where it runs is
// known.
absl::Status JobExecution::CheckPlaces() {
  const std::vector<graph::JobVertex>& vertices = deployment_.graph->vertices;
  size_t wanted = 0;
  for (const graph::JobVertex& vertex : vertices) wanted += vertex.parallelism;
  std::vector<uint32_t> tasks_here(vertices.size());
  for (const rpc::TaskDeployment& task : deployment_.tasks) {
    if (task.vertex >= vertices.size() || task.subtask >= vertices[task.vertex].parallelism) {
      return absl::InvalidArgumentError(
          absl::StrCat("a deployment has no subtask ", task.subtask, " of vertex ", task.vertex));
    }
    places_[{task.vertex, task.subtask}] = task.taskmanager;
    if (task.taskmanager == services_.self) {
      ++tasks_here[task.vertex];
      continue;
    }
    if (services_.channels == nullptr || !deployment_.data_addresses.contains(task.taskmanager)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a deployment has no data address of ", task.taskmanager.ToShortString()));
    }
  }
  if (places_.size() == wanted && deployment_.tasks.size() == wanted) {
    return CheckFitsProcess(*deployment_.graph, tasks_here);
  }
  return absl::InvalidArgumentError(absl::StrCat("a deployment places ", places_.size(), " of ",
                                                 wanted, " subtasks, by ", deployment_.tasks.size(),
                                                 " entries"));
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
      state::RangeOfSubtask(deployed.subtask, node.parallelism, max_parallelism), max_parallelism,
      services_.tasks.state_memory);
  runtime->node = node_index;
  runtime->node_id = node.id;
  runtime->uid = node.uid;
  const NodeOperator& made = operators_.at(node_index);
  runtime->source = made.source.get();
  runtime->op = made.op.get();
  runtime->context = std::make_unique<operators::SubtaskContext>(
      operators::SubtaskContext{.job = deployment_.job,
                                .attempt = deployed.attempt,
                                .attempt_number = AttemptNumberOf(deployment_),
                                .node_id = node.id,
                                .subtask = deployed.subtask,
                                .parallelism = node.parallelism,
                                .max_parallelism = max_parallelism,
                                .restored = deployment_.restored,
                                .keyed = runtime->keyed,
                                .lists = runtime->lists,
                                .metrics = runtime->metrics,
                                .clock = services_.tasks.clock,
                                .files = services_.files});
  return runtime;
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
  tasks_.push_back(std::make_unique<Task>(std::move(identity), services_.tasks, std::move(runtimes),
                                          std::move(channels), std::move(restore)));
  by_attempt_[deployed.attempt] = tasks_.back().get();
  by_place_[{deployed.vertex, deployed.subtask}] = tasks_.back().get();
}

void JobExecution::Start() {
  WEIR_CHECK(threads_.empty());
  for (const std::unique_ptr<Task>& task : tasks_) {
    threads_.push_back(std::make_unique<base::Thread>(
        absl::StrCat("task ", task->identity().vertex_name, " ", task->identity().subtask),
        [&task = *task, &clock = services_.tasks.clock] { RunTask(task, clock); }));
  }
}

Task* JobExecution::Find(AttemptId attempt) {
  const auto it = by_attempt_.find(attempt);
  return it == by_attempt_.end() ? nullptr : it->second;
}

std::vector<rpc::TaskCounts> JobExecution::Counts() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  std::vector<rpc::TaskCounts> all;
  for (const std::unique_ptr<Task>& task : tasks_) {
    rpc::TaskCounts counts{deployment_.job, task->identity().sender.attempt, {}};
    for (const std::unique_ptr<OperatorRuntime>& runtime : task->runtimes()) {
      const operators::OperatorMetrics& metrics = runtime->metrics;
      counts.operators.push_back({.node = static_cast<uint32_t>(runtime->node),
                                  .rows_in = metrics.rows_in.load(kRelaxed),
                                  .rows_out = metrics.rows_out.load(kRelaxed),
                                  .rows_late = metrics.rows_late.load(kRelaxed),
                                  .rows_partially_late = metrics.rows_partially_late.load(kRelaxed),
                                  .rows_skipped = metrics.rows_skipped.load(kRelaxed),
                                  .deletes_dropped = metrics.deletes_dropped.load(kRelaxed)});
    }
    all.push_back(std::move(counts));
  }
  return all;
}

}  // namespace weir::task
