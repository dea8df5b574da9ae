#include "common/graph/steps/step_options.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/graph/settings_options.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::Node;
using config::OptionTable;
using config::TextOption;

bool ReadSingleInput(const Node& node, StepInputs* inputs, Diagnostics* diagnostics) {
  if (node.IsSequence()) {
    diagnostics->Add(config::ErrorAt(node, config::codes::kWrongStructure,
                                     "this step reads one input, and a list is given")
                         .Help("unite several with a step of type `union`"));
    return false;
  }
  config::Located<std::string> input;
  if (!config::ReadMember(TextOption{}, node, &input, diagnostics)) return false;
  inputs->assign(1, input);
  return true;
}

}  // namespace

const OptionTable<StepCommon>& StepCommonTable() {
  static const OptionTable<StepCommon> table = [] {
    using O = StepCommon;
    OptionTable<O> t("step", "Options of every source, transform and sink.");
    t.Add("uid", &O::uid, config::IdOption{},
          "Names the step's state. When a step is renamed, its old id here keeps the state.")
        .Default("the id");
    t.Add("label", &O::label, TextOption{.may_be_empty = true},
          "Shown to people instead of the id.");
    t.Add("description", &O::description, TextOption{.may_be_empty = true}, "For people.");
    t.Add("parallelism", &O::parallelism,
          config::IntegerOption{.min = 1, .max = kMaxParallelismMax}, "Subtasks of this step.")
        .Default("settings.parallelism");
    return t;
  }();
  return table;
}

const OptionTable<TransformCommon>& TransformCommonTable() {
  static const OptionTable<TransformCommon> table = [] {
    using O = TransformCommon;
    OptionTable<O> t("transform", "Options of every transform.");
    t.Add("type", &O::type, TextOption{.type_text = "a step type"}, "What the step does.")
        .Required();
    t.Include(&O::step, StepCommonTable());
    return t;
  }();
  return table;
}

config::EnumOption<OnError> OnErrorOption() {
  return config::EnumOption<OnError>({{"fail", OnError::kFail}, {"skip", OnError::kSkip}});
}

config::CustomOption<StepInputs> SingleInputOption() {
  return {.type_text = "a step id", .read = ReadSingleInput};
}

config::NodeOption ExpressionOption() {
  return {.shape = config::NodeOption::Shape::kScalar, .type_text = "an expression"};
}

config::CustomOption<const Node*> LaterOption(std::string type_text) {
  return {.type_text = std::move(type_text),
          .read = [](const Node& node, const Node** value, Diagnostics*) {
            *value = node.IsNull() ? nullptr : &node;
            return true;
          }};
}

}  // namespace weir::graph
