// PlanBuilder: from bound steps to the operators of a plan: it adds the operators that a step needs
// beside its own, and decides how rows are dealt out between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/graph/plan.h"
#include "common/graph/step_graph.h"

namespace weir::graph {

// Steps are added in an order in which inputs come first.
//
// Life:      one plan; `descriptor` and `graph` must outlive it.
// Thread:    confined to one thread.
// Invariant: an input of plan_.nodes[i] has an index below i.
class PlanBuilder {
 public:
  PlanBuilder(const Descriptor& descriptor, const StepGraph& graph,
              config::Diagnostics* diagnostics);

  void AddSource(StepIndex step, BoundSource source);
  // A step of one stateless operator.
  void AddStep(StepIndex step, StepSpec spec, const EdgeRows& rows);
  void AddAggregate(StepIndex step, BoundAggregateStep aggregate);
  // `rows` is what all its inputs give together.
  void AddSink(StepIndex step, BoundSink sink, const EdgeRows& rows);

  // The plan. Checks the parallelism of all steps; it is to be used only if there are no errors.
  // `max_parallelism` takes the place of the derived one.
  Plan Finish(absl::optional<int64_t> max_parallelism);

 private:
  uint32_t ParallelismOf(StepIndex step) const;
  // A node of the step, named "<step>/<role>" or, without role, as the step.
  PlanNode NewNode(StepIndex step, StringView role, StepSpec spec, const EdgeRows& rows) const;
  NodeIndex Append(PlanNode node);
  // How the rows of `producer` reach a consumer that runs `parallelism` subtasks, when any of them
  // will do.
  PlanInput Connect(NodeIndex producer, uint32_t parallelism) const;
  std::vector<PlanInput> ConnectAll(StepIndex step, uint32_t parallelism) const;
  // Whether operators of the step can be added: its inputs are there, and it reaches a sink.
  bool IsBuildable(StepIndex step) const;

  const Descriptor& descriptor_;
  const StepGraph& graph_;
  config::Diagnostics& diagnostics_;
  Plan plan_;
  // By StepIndex: the node with the step's output.
  std::vector<absl::optional<NodeIndex>> outputs_;
};

}  // namespace weir::graph
