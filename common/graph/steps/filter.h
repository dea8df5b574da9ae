// Step `filter`: keeps the rows for which a condition is TRUE.
// Output: the schema and changelog of the input; an update that stops matching becomes a delete.
// State: none.
#pragma once

#include <absl/types/optional.h>

#include "common/graph/edge_rows.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct FilterOptions {
  TransformCommon common;
  StepInputs input;
  const config::Node* where = nullptr;
  OnError on_error = OnError::kFail;
};

const config::OptionTable<FilterOptions>& FilterTable();

// nullopt: reported.
absl::optional<FilterSpec> BindFilter(const FilterOptions& options, const EdgeRows& input,
                                      config::Diagnostics* diagnostics);

}  // namespace weir::graph
