// StepGraph: who reads whom among a descriptor's steps, in an order in which inputs come first.
// Ids, inputs, circles and uids are checked here.
#pragma once

#include <string>
#include <vector>

#include "common/graph/descriptor.h"

namespace weir::graph {

using StepIndex = size_t;

struct StepGraph {
  // All by StepIndex, the place in Descriptor::steps.
  std::vector<std::vector<StepIndex>> inputs;  // as far as they exist
  std::vector<bool> is_resolved;               // all inputs of the step exist
  std::vector<bool> is_needed;                 // its rows reach a sink
  // Inputs first; steps in a circle, or behind one, are left out.
  std::vector<StepIndex> order;
};

// Reports everything that is wrong; the graph has what is right.
StepGraph BuildStepGraph(const Descriptor& descriptor, config::Diagnostics* diagnostics);

// Warns of steps whose output nobody reads. Call it when there are no errors.
void WarnOfUnusedSteps(const Descriptor& descriptor, const StepGraph& graph,
                       config::Diagnostics* diagnostics);

}  // namespace weir::graph
