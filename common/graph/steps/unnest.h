// Step `unnest`: a row per element of an array.
// Output: the input's columns, the element, and its number if asked for. An updating input makes a
// retract stream, because one of its rows becomes several. State: none.
#pragma once

#include <string>

#include <absl/types/optional.h>

#include "common/graph/edge_rows.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct UnnestOptions {
  TransformCommon common;
  StepInputs input;
  const config::Node* expr = nullptr;
  config::Located<std::string> as;
  bool outer = false;
  config::Located<std::string> ordinality;
  OnError on_error = OnError::kFail;
};

const config::OptionTable<UnnestOptions>& UnnestTable();

struct BoundUnnest {
  UnnestSpec spec;
  EdgeRows rows;
};

// nullopt: reported.
absl::optional<BoundUnnest> BindUnnest(const UnnestOptions& options, const EdgeRows& input,
                                       config::Diagnostics* diagnostics);

}  // namespace weir::graph
