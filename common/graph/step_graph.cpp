#include "common/graph/step_graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/config/names.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
namespace codes = config::codes;

// First step of each id.
using StepsById = std::map<std::string, StepIndex>;

StepsById CheckIds(const Descriptor& descriptor, Diagnostics* diagnostics) {
  StepsById by_id;
  for (StepIndex i = 0; i < descriptor.steps.size(); ++i) {
    const DescriptorStep& step = descriptor.steps[i];
    const auto [found, is_new] = by_id.emplace(step.id, i);
    if (is_new) continue;
    const Node& first = *descriptor.steps[found->second].key;
    diagnostics->Add(
        ErrorAt(*step.key, codes::kDuplicateId,
                absl::StrCat("there is a step '", step.id, "' already"))
            .Because(absl::StrCat("'", step.id, "' is defined first at ", first.range().ToString()))
            .Help("sources, transforms and sinks share one set of ids"));
  }
  return by_id;
}

void CheckUids(const Descriptor& descriptor, Diagnostics* diagnostics) {
  std::map<std::string, const DescriptorStep*> by_uid;
  for (const DescriptorStep& step : descriptor.steps) {
    const StepCommon& common = step.common();
    const bool is_set = common.uid.IsSet();
    const auto [found, is_new] = by_uid.emplace(is_set ? *common.uid : step.id, &step);
    const DescriptorStep& other = *found->second;
    if (is_new || other.id == step.id) continue;
    diagnostics->Add(
        ErrorAt(is_set ? *common.uid.node : *step.key, codes::kDuplicateUid,
                absl::StrCat("steps '", other.id, "' and '", step.id, "' have the same uid '",
                             found->first, "' and would share state"))
            .Because(absl::StrCat("'", other.id, "' is at ", other.key->range().ToString())));
  }
}

// The step that `input` of `step` names; size() of the steps: reported.
StepIndex ResolveInput(const Descriptor& descriptor, const StepsById& by_id,
                       const DescriptorStep& step, const config::Located<std::string>& input,
                       Diagnostics* diagnostics) {
  const StepIndex none = descriptor.steps.size();
  const auto found = by_id.find(*input);
  if (found != by_id.end()) {
    if (!descriptor.steps[found->second].IsSink()) return found->second;
    diagnostics->Add(ErrorAt(*input.node, codes::kUnknownInput,
                             absl::StrCat("'", *input, "' is a sink and has no output")));
    return none;
  }
  std::vector<std::string> names;
  for (const DescriptorStep& other : descriptor.steps) {
    if (!other.IsSink() && other.id != step.id) names.push_back(other.id);
  }
  config::Diagnostic error =
      ErrorAt(*input.node, codes::kUnknownInput, absl::StrCat("no step '", *input, "'"))
          .Suggest(config::DidYouMean(*input, names));
  if (absl::StrContains(*input, ".")) error.Help("side outputs are not available in this version");
  if (!names.empty()) {
    error.Help(absl::StrCat("steps with an output: ", config::JoinNames(names, /*limit=*/20)));
  }
  diagnostics->Add(std::move(error));
  return none;
}

void ResolveInputs(const Descriptor& descriptor, const StepsById& by_id, StepGraph* graph,
                   Diagnostics* diagnostics) {
  for (StepIndex i = 0; i < descriptor.steps.size(); ++i) {
    const DescriptorStep& step = descriptor.steps[i];
    std::vector<StepIndex>& inputs = graph->inputs.emplace_back();
    graph->is_resolved.push_back(step.IsSource() || !step.inputs.empty());
    for (const config::Located<std::string>& input : step.inputs) {
      const StepIndex producer = ResolveInput(descriptor, by_id, step, input, diagnostics);
      if (producer == descriptor.steps.size()) {
        graph->is_resolved[i] = false;
        continue;
      }
      if (std::find(inputs.begin(), inputs.end(), producer) != inputs.end()) {
        diagnostics->Add(ErrorAt(*input.node, codes::kDuplicateId,
                                 absl::StrCat("input '", *input, "' is listed twice"))
                             .Help("remove one of the two; each input gives its rows once"));
        continue;
      }
      inputs.push_back(producer);
    }
  }
}

// Orders the steps; what cannot be ordered is in a circle or behind one.
void OrderSteps(StepGraph* graph) {
  const size_t count = graph->inputs.size();
  std::vector<bool> is_ordered(count, false);
  bool has_progress = true;
  while (has_progress) {
    has_progress = false;
    for (StepIndex i = 0; i < count; ++i) {
      const std::vector<StepIndex>& inputs = graph->inputs[i];
      const auto is_done = [&is_ordered](StepIndex input) { return is_ordered[input]; };
      if (is_ordered[i] || !std::all_of(inputs.begin(), inputs.end(), is_done)) continue;
      is_ordered[i] = true;
      graph->order.push_back(i);
      has_progress = true;
    }
  }
}

// Each step left over has an input left over: walking from input to input ends in a circle.
void ReportCycles(const Descriptor& descriptor, const StepGraph& graph, Diagnostics* diagnostics) {
  std::vector<bool> is_left(descriptor.steps.size(), true);
  for (const StepIndex i : graph.order) is_left[i] = false;
  std::vector<bool> is_seen(descriptor.steps.size(), false);
  for (StepIndex start = 0; start < descriptor.steps.size(); ++start) {
    std::vector<StepIndex> walk;
    StepIndex at = start;
    while (is_left[at] && !is_seen[at]) {
      is_seen[at] = true;
      walk.push_back(at);
      const std::vector<StepIndex>& inputs = graph.inputs[at];
      at = *std::find_if(inputs.begin(), inputs.end(), [&](StepIndex i) { return is_left[i]; });
    }
    const auto circle = std::find(walk.begin(), walk.end(), at);
    if (circle == walk.end()) continue;  // runs into a circle that is reported
    // In the direction in which rows flow, from the step that stands first in the file.
    std::vector<StepIndex> path(circle, walk.end());
    std::reverse(path.begin(), path.end());
    std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
    path.push_back(path.front());
    std::vector<std::string> names;
    names.reserve(path.size());
    for (const StepIndex i : path) names.push_back(descriptor.steps[i].id);
    std::string text;
    for (const std::string& name : names) absl::StrAppend(&text, text.empty() ? "" : " -> ", name);
    diagnostics->Add(ErrorAt(*descriptor.steps[path.front()].key, codes::kCycle,
                             absl::StrCat("steps feed each other in a circle: ", text)));
  }
}

void MarkNeeded(const Descriptor& descriptor, StepGraph* graph) {
  graph->is_needed.assign(descriptor.steps.size(), false);
  for (auto step = graph->order.rbegin(); step != graph->order.rend(); ++step) {
    if (descriptor.steps[*step].IsSink()) graph->is_needed[*step] = true;
    if (!graph->is_needed[*step]) continue;
    for (const StepIndex input : graph->inputs[*step]) graph->is_needed[input] = true;
  }
}

void CheckNotEmpty(const Descriptor& descriptor, Diagnostics* diagnostics) {
  bool has_source = false;
  bool has_sink = false;
  for (const DescriptorStep& step : descriptor.steps) {
    has_source |= step.IsSource();
    has_sink |= step.IsSink();
  }
  // A missing key is reported as such.
  const TopOptions& top = descriptor.top;
  for (const Node* block : {has_source ? nullptr : top.sources, has_sink ? nullptr : top.sinks}) {
    if (block == nullptr) continue;
    diagnostics->Add(
        config::ErrorAtKey(*block, codes::kNothingToRun,
                           absl::StrCat("a job needs at least one of `", block->Name(), "`"))
            .Help(block == top.sources
                      ? "sources: {lines: {connector: file, options: {path: ...}, format: text}}"
                      : "sinks: {out: {connector: stdout, input: ...}}"));
  }
}

}  // namespace

StepGraph BuildStepGraph(const Descriptor& descriptor, Diagnostics* diagnostics) {
  StepGraph graph;
  CheckNotEmpty(descriptor, diagnostics);
  const StepsById by_id = CheckIds(descriptor, diagnostics);
  CheckUids(descriptor, diagnostics);
  ResolveInputs(descriptor, by_id, &graph, diagnostics);
  OrderSteps(&graph);
  if (graph.order.size() < descriptor.steps.size()) ReportCycles(descriptor, graph, diagnostics);
  MarkNeeded(descriptor, &graph);
  return graph;
}

void WarnOfUnusedSteps(const Descriptor& descriptor, const StepGraph& graph,
                       Diagnostics* diagnostics) {
  std::vector<bool> is_read(descriptor.steps.size(), false);
  for (const std::vector<StepIndex>& inputs : graph.inputs) {
    for (const StepIndex input : inputs) is_read[input] = true;
  }
  for (StepIndex i = 0; i < descriptor.steps.size(); ++i) {
    const DescriptorStep& step = descriptor.steps[i];
    if (step.IsSink() || is_read[i]) continue;
    diagnostics->Add(config::WarningAt(
        *step.key, codes::kUnusedStep,
        absl::StrCat("nobody reads the output of '", step.id, "': it does not run")));
  }
}

}  // namespace weir::graph
