// JobExecution: the tasks of one deployment in this process, wired to each other, each on a thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/thread.h"
#include "common/fs/file_system.h"
#include "common/rpc/task_deployment.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/task/task.h"

namespace weir::task {

// Life:      made by Make(), started once; the destructor cancels what still runs and joins.
// Thread:    confined to the control loop; the tasks run on their own threads.
// Invariant: no task is destroyed before every thread has ended, because peers poke each other.
class JobExecution {
 public:
  // Builds every operator and task. The operators' own errors; nothing has started then.
  static absl::StatusOr<std::unique_ptr<JobExecution>> Make(rpc::JobDeployment deployment,
                                                            TaskServices services,
                                                            fs::FileSystem& files);
  ~JobExecution();
  JobExecution(const JobExecution&) = delete;
  JobExecution& operator=(const JobExecution&) = delete;

  void Start();
  // Null: not of this execution.
  Task* Find(AttemptId attempt);
  // Every operator of every subtask.
  void ForEachMetrics(const std::function<void(const std::string& node_id,
                                               const operators::OperatorMetrics&)>& visit) const;

 private:
  // One immutable operator, shared by all subtasks of its node.
  struct NodeOperator {
    std::unique_ptr<const operators::SourceOperator> source;
    std::unique_ptr<const operators::Operator> op;
  };

  JobExecution(rpc::JobDeployment deployment, TaskServices services, fs::FileSystem& files);
  absl::Status MakeOperators();
  void MakeTask(rpc::TaskDeployment& deployed);
  std::unique_ptr<OperatorRuntime> MakeRuntime(const rpc::TaskDeployment& deployed,
                                               graph::NodeIndex node) const;
  void WireEdge(const graph::JobEdge& edge, uint32_t producer);
  uint32_t ChannelBase(const graph::JobVertex& consumer, graph::EdgeIndex edge) const;
  uint32_t ProducersPerSubtask(const graph::JobEdge& edge) const;
  Task& TaskOf(graph::VertexIndex vertex, uint32_t subtask) const;

  const rpc::JobDeployment deployment_;
  const TaskServices services_;
  fs::FileSystem& files_;
  std::map<graph::NodeIndex, NodeOperator> operators_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::map<AttemptId, Task*> by_attempt_;
  std::map<std::pair<graph::VertexIndex, uint32_t>, Task*> by_place_;
  std::vector<std::unique_ptr<base::Thread>> threads_;
};

}  // namespace weir::task
