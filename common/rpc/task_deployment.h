// TaskDeployment: what a taskmanager must know to run one subtask, and one job's set of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/graph/job_graph.h"
#include "common/graph/job_source.h"
#include "common/graph/plan.h"
#include "common/state/handles.h"

namespace weir::rpc {

// One subtask of a vertex.
struct TaskDeployment {
  AttemptId attempt;
  graph::VertexIndex vertex = 0;
  uint32_t subtask = 0;
  TaskManagerId taskmanager;  // that runs it
  // State to start from, by operator uid; an operator that is missing starts empty. Empty as well
  // in what another taskmanager is told of it.
  std::map<std::string, state::OperatorSubtaskState> states;
};

// Every subtask of one execution of a job.
struct JobDeployment {
  JobId job;
  uint64_t epoch = 0;
  // Raised on every start of the job; of two executions the one with the higher (epoch, generation)
  // is the later.
  uint64_t generation = 0;
  // What plan and graph are made of. Between processes only this travels, and each plans again.
  graph::JobSource source;
  std::shared_ptr<const graph::Plan> plan;  // shared: read by every task, never changed
  std::shared_ptr<const graph::JobGraph> graph;
  CheckpointId restored = kNoCheckpoint;  // the checkpoint `states` come from
  std::string restored_location;          // its directory; empty: in memory
  std::vector<TaskDeployment> tasks;      // vertex by vertex, subtask by subtask
  // The data address ("127.0.0.1:6121") of each taskmanager in `tasks` but the nil one.
  std::map<TaskManagerId, std::string> data_addresses;
};

}  // namespace weir::rpc
