// Makes the operators that read from and write to the outside.
#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "common/graph/plan.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

// The operators are immutable and serve all subtasks of the node.
// REQUIRES: node.spec is a SourceSpec.
absl::StatusOr<std::unique_ptr<operators::SourceOperator>> MakeSource(const graph::PlanNode& node);
// REQUIRES: node.spec is a SinkSpec.
absl::StatusOr<std::unique_ptr<operators::Operator>> MakeSink(const graph::PlanNode& node);

}  // namespace weir::connectors
