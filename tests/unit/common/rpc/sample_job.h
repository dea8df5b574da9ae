// A small job as it is deployed on two taskmanagers, the same in every run.
#pragma once

#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/graph/planner.h"
#include "common/rpc/task_deployment.h"
#include "tests/unit/common/checkpoint/sample_metadata.h"

namespace weir::rpc {

inline constexpr TaskManagerId kFirstTaskManager{0x11, 0x1};
inline constexpr TaskManagerId kSecondTaskManager{0x22, 0x2};

inline graph::JobSource SampleSource() {
  graph::JobSource source;
  source.file_name = "count.yaml";
  source.text = R"(weir: 1
name: ${NAME}
sources:
  lines: {connector: file, options: {path: in.txt, scan: once}, format: text}
transforms:
  counts: {type: aggregate, input: lines, key_by: [line], aggregates: {n: count(*)}, emit: at_end}
sinks:
  out: {connector: blackhole, input: counts}
)";
  source.variables = {{"NAME", "count"}};
  source.parallelism = 2;
  source.max_parallelism = 16;
  return source;
}

// Subtask 0 of each vertex runs on the first taskmanager, subtask 1 on the second; each has state.
inline JobDeployment SampleDeployment(uint64_t epoch) {
  JobDeployment deployment;
  deployment.job = {0xa, 0xb};
  deployment.epoch = epoch;
  deployment.generation = 77;
  deployment.source = SampleSource();
  deployment.plan = graph::MakePlan(graph::RequestOf(deployment.source)).plan;
  WEIR_CHECK(deployment.plan != nullptr);
  deployment.graph =
      std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*deployment.plan));
  deployment.restored = CheckpointId{41};
  deployment.restored_location = "/checkpoints/a/chk-41";
  uint64_t attempt = 0;
  for (graph::VertexIndex v = 0; v < deployment.graph->vertices.size(); ++v) {
    const graph::JobVertex& vertex = deployment.graph->vertices[v];
    WEIR_CHECK(vertex.parallelism == 2);
    for (uint32_t i = 0; i < 2; ++i) {
      TaskDeployment task{.attempt = {++attempt, 1}, .vertex = v, .subtask = i};
      task.taskmanager = i == 0 ? kFirstTaskManager : kSecondTaskManager;
      task.states[deployment.plan->nodes[vertex.chain[0]].uid] =
          checkpoint::SampleSubtask(i, 2).state;
      deployment.tasks.push_back(std::move(task));
    }
  }
  deployment.data_addresses = {{kFirstTaskManager, "127.0.0.1:6121"},
                               {kSecondTaskManager, "127.0.0.1:6221"}};
  return deployment;
}

}  // namespace weir::rpc
