#include "common/rpc/deployment_codec.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/graph/planner.h"
#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/wire_values.h"

namespace weir::rpc {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// --- Writing ---

void WriteSource(const graph::JobSource& source, wire::JobSource::Builder out) {
  out.setFileName(TextOf(source.file_name));
  out.setText(TextOf(source.text));
  auto variables = out.initVariables(SizeOf(source.variables));
  uint32_t next = 0;
  for (const auto& [name, value] : source.variables) {
    auto variable = variables[next++];
    variable.setName(TextOf(name));
    variable.setValue(TextOf(value));
  }
  out.setParallelism(source.parallelism.value_or(0));
  out.setMaxParallelism(source.max_parallelism.value_or(0));
}

// Everything but states.
void WriteJob(const JobDeployment& deployment, wire::JobDeployment::Builder out) {
  WriteId(deployment.job, out.initJob());
  out.setEpoch(deployment.epoch);
  out.setGeneration(deployment.generation);
  WriteSource(deployment.source, out.initSource());
  out.setSourceHash(graph::HashOf(deployment.source));
  out.setRestored(ToInt(deployment.restored));
  out.setRestoredLocation(TextOf(deployment.restored_location));
  auto tasks = out.initTasks(SizeOf(deployment.tasks));
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskDeployment& task = deployment.tasks[i];
    WriteId(task.attempt, tasks[i].initAttempt());
    tasks[i].setVertex(static_cast<uint32_t>(task.vertex));
    tasks[i].setSubtask(task.subtask);
    WriteId(task.taskmanager, tasks[i].initTaskmanager());
  }
  auto addresses = out.initDataAddresses(SizeOf(deployment.data_addresses));
  uint32_t next = 0;
  for (const auto& [id, address] : deployment.data_addresses) {
    auto one = addresses[next++];
    WriteId(id, one.initTaskmanager());
    one.setAddress(TextOf(address));
  }
}

OperatorStates ListStates(const OperatorStates& states) {
  OperatorStates lists;
  for (const auto& [uid, state] : states) {
    if (!state.operator_managed.empty()) {
      lists[uid].operator_managed = state.operator_managed;
    }
  }
  return lists;
}

// --- Reading ---

absl::StatusOr<graph::JobSource> ReadSource(wire::JobSource::Reader in) {
  graph::JobSource source;
  source.file_name = StringOf(in.getFileName());
  source.text = StringOf(in.getText());
  for (const auto variable : in.getVariables()) {
    if (!source.variables.emplace(StringOf(variable.getName()), StringOf(variable.getValue()))
             .second) {
      return Wrong("variable ", StringOf(variable.getName()), " twice");
    }
  }
  if (in.getParallelism() != 0) source.parallelism = in.getParallelism();
  if (in.getMaxParallelism() != 0) source.max_parallelism = in.getMaxParallelism();
  return source;
}

absl::Status Plan(uint64_t expected_hash, JobDeployment* deployment) {
  const uint64_t hash = graph::HashOf(deployment->source);
  if (hash != expected_hash) {
    return absl::FailedPreconditionError(
        absl::StrCat("the descriptor of job ", deployment->job.ToString(), " hashes to ",
                     absl::Hex(hash, absl::kZeroPad16), " here and was sent as ",
                     absl::Hex(expected_hash, absl::kZeroPad16),
                     ": jobmanager and taskmanager must be of the same build"));
  }
  const graph::PlanResult planned = graph::MakePlan(graph::RequestOf(deployment->source));
  if (planned.plan == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the descriptor of job ", deployment->job.ToString(),
        " has no plan on this taskmanager: ", planned.diagnostics.ToStatus().message()));
  }
  deployment->plan = planned.plan;
  deployment->graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*planned.plan));
  return absl::OkStatus();
}

absl::StatusOr<std::map<TaskManagerId, std::string>> ReadAddresses(
    capnp::List<wire::DataAddress>::Reader in) {
  std::map<TaskManagerId, std::string> addresses;
  for (const auto one : in) {
    const auto id = ReadId<TaskManagerId>(one.getTaskmanager());
    if (one.getAddress().size() == 0 || one.getAddress().size() > kNameBytesMax) {
      return Wrong("data address of ", one.getAddress().size(), " bytes");
    }
    if (id.IsNil() || !addresses.emplace(id, StringOf(one.getAddress())).second) {
      return Wrong("data address of taskmanager ", id.ToString(), " twice or of none");
    }
  }
  return addresses;
}

absl::Status CheckStates(const OperatorStates& states, const graph::JobVertex& vertex,
                         const graph::Plan& plan) {
  for (const auto& [uid, state] : states) {
    const bool is_of_vertex =
        std::any_of(vertex.chain.begin(), vertex.chain.end(),
                    [&, &of = uid](graph::NodeIndex node) { return plan.nodes[node].uid == of; });
    if (!is_of_vertex) return Wrong("state of operator ", uid, " for task ", vertex.name);
  }
  return absl::OkStatus();
}

// Reads the task that must be subtask `subtask` of vertex `vertex`.
absl::StatusOr<TaskDeployment> ReadTaskOf(graph::VertexIndex vertex, uint32_t subtask,
                                          const JobDeployment& deployment,
                                          wire::TaskDeployment::Reader in) {
  const graph::JobVertex& of = deployment.graph->vertices[vertex];
  TaskDeployment task;
  task.attempt = ReadId<AttemptId>(in.getAttempt());
  task.vertex = in.getVertex();
  task.subtask = in.getSubtask();
  task.taskmanager = ReadId<TaskManagerId>(in.getTaskmanager());
  if (task.attempt.IsNil()) return Wrong("subtask ", subtask, " of ", of.name, " has no attempt");
  if (task.vertex != vertex || task.subtask != subtask) {
    return Wrong("subtask ", task.subtask, " of vertex ", task.vertex, " where subtask ", subtask,
                 " of vertex ", vertex, " (", of.name, ") belongs");
  }
  if (!task.taskmanager.IsNil() && !deployment.data_addresses.contains(task.taskmanager)) {
    return Wrong("taskmanager ", task.taskmanager.ToString(), " runs ", of.name,
                 " and has no data address");
  }
  const auto max_parallelism = static_cast<uint32_t>(deployment.plan->settings.max_parallelism);
  WEIR_ASSIGN_OR_RETURN(task.states, ReadStates(in.getStates(), max_parallelism));
  WEIR_RETURN_IF_ERROR(CheckStates(task.states, of, *deployment.plan));
  return task;
}

absl::Status ReadTasks(capnp::List<wire::TaskDeployment>::Reader in, JobDeployment* deployment) {
  uint64_t expected = 0;
  for (const graph::JobVertex& vertex : deployment->graph->vertices) {
    expected += vertex.parallelism;
  }
  if (in.size() != expected) {
    return Wrong("job ", deployment->job.ToString(), " has ", expected, " subtasks, and ",
                 in.size(), " were sent");
  }
  std::set<AttemptId> attempts;
  uint32_t next = 0;
  deployment->tasks.reserve(expected);
  for (graph::VertexIndex vertex = 0; vertex < deployment->graph->vertices.size(); ++vertex) {
    for (uint32_t i = 0; i < deployment->graph->vertices[vertex].parallelism; ++i) {
      WEIR_ASSIGN_OR_RETURN(TaskDeployment task, ReadTaskOf(vertex, i, *deployment, in[next++]));
      if (!attempts.insert(task.attempt).second) {
        return Wrong("attempt ", task.attempt.ToString(), " twice");
      }
      deployment->tasks.push_back(std::move(task));
    }
  }
  return absl::OkStatus();
}

}  // namespace

void WriteDeployment(const JobDeployment& deployment, TaskManagerId receiver,
                     wire::JobDeployment::Builder out) {
  WriteJob(deployment, out);
  for (uint32_t i = 0; i < out.getTasks().size(); ++i) {
    const TaskDeployment& task = deployment.tasks[i];
    if (task.taskmanager != receiver || task.states.empty()) continue;
    WriteStates(task.states, out.getTasks()[i].initStates(SizeOf(task.states)));
  }
}

void WritePreparation(const JobDeployment& deployment, wire::JobDeployment::Builder out) {
  WriteJob(deployment, out);
  for (uint32_t i = 0; i < out.getTasks().size(); ++i) {
    const OperatorStates lists = ListStates(deployment.tasks[i].states);
    if (lists.empty()) continue;
    WriteStates(lists, out.getTasks()[i].initStates(SizeOf(lists)));
  }
}

absl::StatusOr<JobDeployment> ReadDeployment(wire::JobDeployment::Reader in) {
  JobDeployment deployment;
  deployment.job = ReadId<JobId>(in.getJob());
  if (deployment.job.IsNil()) return Wrong("a deployment of no job");
  deployment.epoch = in.getEpoch();
  deployment.generation = in.getGeneration();
  if (in.getRestored() < 0) return Wrong("restored checkpoint ", in.getRestored());
  deployment.restored = CheckpointId{in.getRestored()};
  deployment.restored_location = StringOf(in.getRestoredLocation());
  WEIR_ASSIGN_OR_RETURN(deployment.source, ReadSource(in.getSource()));
  WEIR_ASSIGN_OR_RETURN(deployment.data_addresses, ReadAddresses(in.getDataAddresses()));
  WEIR_RETURN_IF_ERROR(Plan(in.getSourceHash(), &deployment));
  WEIR_RETURN_IF_ERROR(ReadTasks(in.getTasks(), &deployment));
  return deployment;
}

}  // namespace weir::rpc
