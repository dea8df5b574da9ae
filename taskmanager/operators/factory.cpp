#include "taskmanager/operators/factory.h"

#include <variant>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/state/table_layout.h"
#include "taskmanager/operators/accumulator_layout.h"
#include "taskmanager/operators/aggregate_operator.h"
#include "taskmanager/operators/filter_operator.h"
#include "taskmanager/operators/select_operator.h"
#include "taskmanager/operators/union_operator.h"
#include "taskmanager/operators/unnest_operator.h"
#include "taskmanager/operators/window_aggregate_operator.h"

namespace weir::operators {
namespace {

// Exact sums take the most room, so a layout of them that fits says all others do.
absl::Status CheckLayout(const graph::PlanNode& node, const graph::AggregateSpec& spec) {
  const AccumulatorLayout layout(spec, {Retraction::kPossible, SumRange::kExact});
  if (layout.value().bytes <= state::kValueBytesMax &&
      layout.value().blob_offsets.size() <= state::kBlobFieldsMax) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "step '", node.step_id, "' has ", spec.aggregates.size(), " aggregates; together they need ",
      layout.value().bytes, " bytes a key (at most ", state::kValueBytesMax, ") and ",
      layout.value().blob_offsets.size(), " strings (at most ", state::kBlobFieldsMax, ")"));
}

absl::StatusOr<std::unique_ptr<Operator>> MakeAggregate(const graph::PlanNode& node,
                                                        const graph::AggregateSpec& spec,
                                                        const types::SchemaPtr& input) {
  WEIR_RETURN_IF_ERROR(CheckLayout(node, spec));
  if (!spec.window.has_value()) {
    return std::make_unique<AggregateOperator>(spec, node.step_id, input, node.schema);
  }
  if (spec.window->size_us > kWindowSizeUsMax) {
    return absl::InvalidArgumentError(absl::StrCat("step '", node.step_id, "' has windows of ",
                                                   spec.window->size_us, " us; at most ",
                                                   kWindowSizeUsMax));
  }
  return std::make_unique<WindowAggregateOperator>(spec, node.step_id, input, node.schema);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Operator>> MakeOperator(const graph::PlanNode& node,
                                                       const graph::Plan& plan) {
  WEIR_CHECK(!node.inputs.empty());
  const types::SchemaPtr& input = plan.nodes[node.inputs[0].node].schema;
  if (const auto* filter = std::get_if<graph::FilterSpec>(&node.spec)) {
    return std::make_unique<FilterOperator>(*filter, node.step_id);
  }
  if (const auto* select = std::get_if<graph::SelectSpec>(&node.spec)) {
    return std::make_unique<SelectOperator>(*select, node.step_id, node.schema);
  }
  if (const auto* unnest = std::get_if<graph::UnnestSpec>(&node.spec)) {
    return std::make_unique<UnnestOperator>(*unnest, node.step_id, node.schema);
  }
  if (std::holds_alternative<graph::UnionSpec>(node.spec)) {
    return std::make_unique<UnionOperator>();
  }
  const auto* aggregate = std::get_if<graph::AggregateSpec>(&node.spec);
  WEIR_CHECK(aggregate != nullptr);
  return MakeAggregate(node, *aggregate, input);
}

}  // namespace weir::operators
