// Makes the operators that neither read nor write the outside: filter, select, unnest, union,
// aggregate. Sources and sinks are made in taskmanager/connectors.
#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "common/graph/plan.h"
#include "taskmanager/operators/operator.h"

namespace weir::operators {

// INVALID_ARGUMENT: an aggregate with more or larger accumulators than a state can hold, or a
// window longer than kWindowSizeUsMax.
// REQUIRES: `node` is one of plan.nodes and neither a source nor a sink.
absl::StatusOr<std::unique_ptr<Operator>> MakeOperator(const graph::PlanNode& node,
                                                       const graph::Plan& plan);

}  // namespace weir::operators
