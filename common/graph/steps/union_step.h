// Step `union`: the rows of several inputs with the same columns, in no particular order.
// Output: the schema of the inputs; append if all are, else retract, because the same key may come
// from two of them. State: none.
#pragma once

#include <absl/types/optional.h>
#include <absl/types/span.h>

#include "common/graph/edge_rows.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct UnionOptions {
  TransformCommon common;
  StepInputs inputs;
};

const config::OptionTable<UnionOptions>& UnionTable();

// The rows of all inputs together, or nothing if their columns differ; `places` are where the
// inputs are named.
// REQUIRES: !inputs.empty(); as many places.
absl::optional<EdgeRows> UniteRows(absl::Span<const EdgeRows> inputs,
                                   absl::Span<const config::Node* const> places,
                                   config::Diagnostics* diagnostics);

}  // namespace weir::graph
