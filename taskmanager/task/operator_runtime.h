// OperatorRuntime: one operator of one subtask with everything that belongs to it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "common/graph/plan.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"
#include "taskmanager/operators/operator.h"

namespace weir::task {

// Exactly one of `source` and `op` is set; both outlive the runtime.
struct OperatorRuntime {
  // `budget`: what state may take in this process; null: as much as there is.
  OperatorRuntime(state::KeyGroupRange range, uint32_t max_parallelism,
                  std::shared_ptr<state::MemoryBudget> budget = nullptr)
      : keyed(range, max_parallelism, std::move(budget)) {}

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
