// Step `select`: chooses and computes columns.
// Output: the chosen columns; the changelog of the input, where an upsert key stays one only if all
// its columns are kept as they are, else it becomes retract. State: none.
#pragma once

#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/graph/binding.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct SelectOptions {
  TransformCommon common;
  StepInputs input;
  std::vector<NamedNode> columns;
  const config::Node* keep = nullptr;  // a list of columns, or `all`
  std::vector<config::Located<std::string>> drop;
  const config::Node* where = nullptr;
  OnError on_error = OnError::kFail;
};

const config::OptionTable<SelectOptions>& SelectTable();

struct BoundSelect {
  SelectSpec spec;
  EdgeRows rows;
};

// nullopt: reported.
absl::optional<BoundSelect> BindSelect(const SelectOptions& options, const EdgeRows& input,
                                       config::Diagnostics* diagnostics);

// The columns a SelectSpec makes, and what its output then is.
types::SchemaPtr SelectSchema(const SelectSpec& spec);
Changelog SelectChangelog(const SelectSpec& spec, const Changelog& input);

}  // namespace weir::graph
