// JobExecution: the tasks of one deployment in this process, wired to each other and to those in
// other processes, each on a thread.
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
#include "common/rpc/task_manager_facts.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/task/task.h"

namespace weir::task {

// All outlive the execution.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): references have no default
struct ExecutionServices {
  TaskServices tasks;
  fs::FileSystem& files;
  TaskManagerId self;                      // whose tasks of a deployment are made here
  network::DataPlane* channels = nullptr;  // to other processes; null: there are none
};

// Life:      made by Make(), started once; the destructor cancels what still runs and joins.
// Thread:    confined to the control loop; the tasks run on their own threads.
// Invariant: no task is destroyed before every thread has ended, because peers poke each other.
class JobExecution {
 public:
  // Builds the operators and this process's tasks. The operators' own errors, INVALID_ARGUMENT (the
  // deployment does not fit its graph, or is too much for a process); nothing has started then.
  static absl::StatusOr<std::unique_ptr<JobExecution>> Make(rpc::JobDeployment deployment,
                                                            ExecutionServices services);
  ~JobExecution();
  JobExecution(const JobExecution&) = delete;
  JobExecution& operator=(const JobExecution&) = delete;

  void Start();
  // Null: not of this execution.
  Task* Find(AttemptId attempt);
  // Of every task here.
  std::vector<rpc::TaskCounts> Counts() const;
  const std::vector<std::unique_ptr<Task>>& tasks() const { return tasks_; }

 private:
  // One immutable operator, shared by all subtasks of its node.
  struct NodeOperator {
    std::unique_ptr<const operators::SourceOperator> source;
    std::unique_ptr<const operators::Operator> op;
  };

  JobExecution(rpc::JobDeployment deployment, ExecutionServices services);
  absl::Status CheckPlaces();
  absl::Status MakeOperators();
  void MakeTask(rpc::TaskDeployment& deployed);
  std::unique_ptr<OperatorRuntime> MakeRuntime(const rpc::TaskDeployment& deployed,
                                               graph::NodeIndex node) const;

  // edge_wiring.cpp
  void WireEdges();
  void WireProducer(graph::EdgeIndex edge, uint32_t producer);
  void WireConsumer(graph::EdgeIndex edge, uint32_t consumer);
  std::unique_ptr<network::ChannelSender> MakeSender(graph::EdgeIndex edge, uint32_t producer,
                                                     uint32_t consumer);
  network::ChannelName NameOf(graph::EdgeIndex edge, uint32_t producer, uint32_t consumer) const;
  uint32_t ChannelOf(graph::EdgeIndex edge, uint32_t producer) const;
  uint32_t ProducersPerSubtask(const graph::JobEdge& edge) const;
  // Null: it runs in another process.
  Task* TaskAt(graph::VertexIndex vertex, uint32_t subtask) const;

  using Place = std::pair<graph::VertexIndex, uint32_t>;  // vertex and subtask

  rpc::JobDeployment deployment_;  // without the states, which the tasks take
  const ExecutionServices services_;
  std::map<graph::NodeIndex, NodeOperator> operators_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::map<AttemptId, Task*> by_attempt_;
  std::map<Place, Task*> by_place_;
  std::map<Place, TaskManagerId> places_;  // of all subtasks
  // Before the tasks go, so that nothing arrives for them any more.
  std::vector<std::unique_ptr<network::ChannelReceiver>> receivers_;
  std::vector<std::unique_ptr<base::Thread>> threads_;
};

}  // namespace weir::task
