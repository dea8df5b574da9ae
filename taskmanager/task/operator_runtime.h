// OperatorRuntime: one operator of one subtask with everything that belongs to it.
#pragma once

#include <memory>
#include <string>

#include <absl/status/status.h>

#include "common/graph/plan.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"
#include "taskmanager/operators/operator.h"

namespace weir::task {

// Exactly one of `source` and `op` is set; both outlive the runtime.
struct OperatorRuntime {
  OperatorRuntime(state::KeyGroupRange range, uint32_t max_parallelism)
      : keyed(range, max_parallelism) {}

  graph::NodeIndex node = 0;
  std::string node_id;
  std::string uid;
  const operators::SourceOperator* source = nullptr;
  const operators::Operator* op = nullptr;
  state::KeyedBackend keyed;
  state::OperatorState lists;
  operators::OperatorMetrics metrics;
  std::unique_ptr<operators::SubtaskContext> context;
};

}  // namespace weir::task
