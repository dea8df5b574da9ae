// What the option tables of all steps have in common.
#pragma once

#include <string>
#include <vector>

#include "common/config/option_table.h"
#include "common/graph/steps/specs.h"

namespace weir::graph {

// Options of every source, transform and sink.
struct StepCommon {
  config::Located<std::string> uid;
  std::string label;
  std::string description;
  config::Located<int64_t> parallelism = 0;  // 0: as `settings.parallelism`
};

// Options of every transform.
struct TransformCommon {
  StepCommon step;
  std::string type;
};

using StepInputs = std::vector<config::Located<std::string>>;

const config::OptionTable<StepCommon>& StepCommonTable();
const config::OptionTable<TransformCommon>& TransformCommonTable();

config::EnumOption<OnError> OnErrorOption();
// Exactly one step.
config::CustomOption<StepInputs> SingleInputOption();
// An expression, kept as its node.
config::NodeOption ExpressionOption();
// A value that is read later, when more is known; a key without value counts as not set.
config::CustomOption<const config::Node*> LaterOption(std::string type_text);

// `input` of a step that reads one, `on_error` of one that can fail.
inline constexpr const char* kInputDescription = "The step whose rows it reads.";
inline constexpr const char* kOnErrorDescription =
    "What happens to a row that cannot be computed: the job fails, or the row is dropped and "
    "counted.";

}  // namespace weir::graph
