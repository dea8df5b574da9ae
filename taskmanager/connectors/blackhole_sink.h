// BlackholeSink: counts rows (as every operator's input is counted) and drops them.
#pragma once

#include <memory>

#include "common/graph/steps/specs.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

std::unique_ptr<operators::Operator> MakeBlackholeSink(graph::SinkChangelog changelog);

}  // namespace weir::connectors
