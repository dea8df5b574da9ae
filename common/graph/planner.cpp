#include "common/graph/planner.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/graph/connectors/file.h"
#include "common/graph/parallelism_range.h"
#include "common/graph/plan_builder.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
namespace codes = config::codes;

// Checks every step, in an order in which the rows of its inputs are known, and adds its operators.
class StepPlanner {
 public:
  StepPlanner(const Descriptor& descriptor, const StepGraph& graph, PlanBuilder* builder,
              const PlanRequest& request, Diagnostics* diagnostics)
      : descriptor_(descriptor),
        graph_(graph),
        builder_(*builder),
        path_exists_(request.path_exists),
        diagnostics_(*diagnostics),
        rows_(descriptor.steps.size()) {}

  void PlanAll() {
    for (const StepIndex index : graph_.order) {
      const DescriptorStep& step = descriptor_.steps[index];
      if (step.IsSource()) {
        PlanSource(index);
      } else if (step.IsSink()) {
        PlanSink(index);
      } else {
        PlanTransform(index);
      }
    }
  }

 private:
  // The rows of the step's inputs. Empty: not known, because of an error reported before.
  std::vector<EdgeRows> InputRows(StepIndex index) const {
    std::vector<EdgeRows> rows;
    if (!graph_.is_resolved[index]) return rows;
    for (const StepIndex input : graph_.inputs[index]) {
      if (!rows_[input].has_value()) return {};
      rows.push_back(*rows_[input]);
    }
    return rows;
  }

  void PlanSource(StepIndex index) {
    const DescriptorStep& step = descriptor_.steps[index];
    const auto& options = std::get<SourceOptions>(step.options);
    if (!options.connector.IsSet()) return;
    // A source with bad values still tells what its rows are; more errors would only repeat.
    Diagnostics ignored;
    absl::optional<BoundSource> source = BindSource(options, step.id, descriptor_.types,
                                                    step.is_complete ? &diagnostics_ : &ignored);
    if (!source.has_value()) return;
    rows_[index] = source->rows;
    if (!step.is_complete || !source->is_complete) return;
    WarnOfMissingFile(options, source->spec);
    builder_.AddSource(index, *std::move(source));
  }

  void WarnOfMissingFile(const SourceOptions& options, const SourceSpec& source) {
    const auto* const file = std::get_if<FileSourceOptions>(&source.connector);
    if (file == nullptr || !path_exists_ || path_exists_(file->path)) return;
    diagnostics_.Add(config::WarningAt(*options.options->Find("path"), codes::kMissingPath,
                                       absl::StrCat("'", file->path, "' does not exist here"))
                         .Help("create it before the job runs, or correct the path; one that does "
                               "not begin with / is below the directory that the job is run in"));
  }

  void PlanTransform(StepIndex index) {
    const DescriptorStep& step = descriptor_.steps[index];
    const std::vector<EdgeRows> inputs = InputRows(index);
    if (inputs.empty()) return;
    const auto& options = std::get<TransformOptions>(step.options);
    if (step.is_complete) {
      std::visit([&](const auto& own) { PlanOne(index, own, inputs); }, options);
    } else if (std::holds_alternative<FilterOptions>(options)) {
      rows_[index] = inputs.front();
    }
    if (rows_[index].has_value()) rows_[index]->step_id = step.id;
  }

  void PlanOne(StepIndex index, const FilterOptions& options, const std::vector<EdgeRows>& inputs) {
    // What passes is known even if the condition is not.
    rows_[index] = inputs.front();
    absl::optional<FilterSpec> filter = BindFilter(options, inputs.front(), &diagnostics_);
    if (filter.has_value()) builder_.AddStep(index, *std::move(filter), *rows_[index]);
  }

  void PlanOne(StepIndex index, const SelectOptions& options, const std::vector<EdgeRows>& inputs) {
    absl::optional<BoundSelect> select = BindSelect(options, inputs.front(), &diagnostics_);
    if (!select.has_value()) return;
    rows_[index] = select->rows;
    builder_.AddStep(index, std::move(select->spec), select->rows);
  }

  void PlanOne(StepIndex index, const UnnestOptions& options, const std::vector<EdgeRows>& inputs) {
    absl::optional<BoundUnnest> unnest = BindUnnest(options, inputs.front(), &diagnostics_);
    if (!unnest.has_value()) return;
    rows_[index] = unnest->rows;
    builder_.AddStep(index, std::move(unnest->spec), unnest->rows);
  }

  void PlanOne(StepIndex index, const UnionOptions&, const std::vector<EdgeRows>& inputs) {
    rows_[index] = Unite(index, inputs);
    if (rows_[index].has_value()) builder_.AddStep(index, UnionSpec{}, *rows_[index]);
  }

  void PlanOne(StepIndex index, const AggregateOptions& options,
               const std::vector<EdgeRows>& inputs) {
    absl::optional<BoundAggregateStep> aggregate =
        BindAggregateStep(options, descriptor_.steps[index].id, inputs.front(), &diagnostics_);
    if (!aggregate.has_value()) return;
    rows_[index] = aggregate->rows;
    builder_.AddAggregate(index, *std::move(aggregate));
  }

  absl::optional<EdgeRows> Unite(StepIndex index, const std::vector<EdgeRows>& inputs) {
    std::vector<const config::Node*> places;
    for (const config::Located<std::string>& input : descriptor_.steps[index].inputs) {
      places.push_back(input.node);
    }
    // An input listed twice is an error that has been reported.
    if (places.size() != inputs.size()) return absl::nullopt;
    return UniteRows(inputs, places, &diagnostics_);
  }

  void PlanSink(StepIndex index) {
    const DescriptorStep& step = descriptor_.steps[index];
    if (!step.is_complete) return;
    const auto& options = std::get<SinkOptions>(step.options);
    absl::optional<BoundSink> sink = BindSink(options, &diagnostics_);
    if (sink.has_value()) CheckDirectory(step, sink->spec);
    const std::vector<EdgeRows> inputs = InputRows(index);
    if (inputs.empty()) return;
    const absl::optional<EdgeRows> rows = Unite(index, inputs);
    if (!sink.has_value() || !rows.has_value()) return;
    if (!BindSinkInput(options, step.id, *rows, WhyUpdating(index), &*sink, &diagnostics_)) return;
    builder_.AddSink(index, *std::move(sink), *rows);
  }

  // Each sink removes from its directory what it did not commit itself.
  void CheckDirectory(const DescriptorStep& step, const SinkSpec& sink) {
    const auto* const file = std::get_if<FileSinkOptions>(&sink.connector);
    if (file == nullptr) return;
    const config::Node& path = *std::get<SinkOptions>(step.options).options->Find("path");
    const auto [first, is_new] =
        directories_.emplace(NormalPath(file->path), Directory{&step, &path});
    if (is_new) return;
    diagnostics_.Add(config::ErrorAt(path, codes::kPathNotUsable,
                                     absl::StrCat("sinks '", first->second.step->id, "' and '",
                                                  step.id, "' write to one directory"))
                         .Because(absl::StrCat("the path of '", first->second.step->id, "' is at ",
                                               first->second.path->range().ToString()))
                         .Help("give each sink a directory of its own, or unite their inputs in "
                               "one sink: input: [a, b]"));
  }

  // A line for each step on the way from the sink's input to where changes begin.
  std::vector<std::string> WhyUpdating(StepIndex sink) const {
    std::vector<std::string> lines;
    StepIndex at = sink;
    while (true) {
      const std::vector<StepIndex>& inputs = graph_.inputs[at];
      const auto updating = std::find_if(inputs.begin(), inputs.end(), [this](StepIndex input) {
        return rows_[input].has_value() && rows_[input]->changelog.IsUpdating();
      });
      if (updating == inputs.end()) break;
      at = *updating;
      const DescriptorStep& step = descriptor_.steps[at];
      lines.push_back(absl::StrCat("'", step.id, "' (", step.key->range().ToString(), ") is ",
                                   ChangelogText(rows_[at]->changelog, *rows_[at]->schema)));
      const auto& transform = std::get<TransformOptions>(step.options);
      if (!std::holds_alternative<AggregateOptions>(transform)) continue;
      lines.back() += ": an aggregate without window gives every change of a key's row";
      break;
    }
    return lines;
  }

  const Descriptor& descriptor_;
  const StepGraph& graph_;
  PlanBuilder& builder_;
  const std::function<bool(const std::string& path)>& path_exists_;
  Diagnostics& diagnostics_;
  // By StepIndex: what the step gives, where that is known.
  std::vector<absl::optional<EdgeRows>> rows_;
  // The directories of file sinks, by NormalPath(), and who is the first to write there.
  struct Directory {
    const DescriptorStep* step;
    const config::Node* path;
  };
  std::map<std::string, Directory> directories_;
};

config::VariableLookup LookupOf(const PlanRequest& request) {
  if (request.variables) return request.variables;
  return [](StringView) -> absl::optional<std::string> { return absl::nullopt; };
}

// What is given beside the descriptor may come from anywhere, such as from what an older version
// stored.
bool CheckGiven(StringView name, absl::optional<int64_t> value, const config::Node& root,
                Diagnostics* diagnostics) {
  const absl::Status checked =
      value.has_value() ? CheckParallelism(name, *value) : absl::OkStatus();
  if (checked.ok()) return true;
  diagnostics->Add(config::ErrorAt(root, codes::kOutOfRange, std::string(checked.message()))
                       .Help("it is given beside the descriptor: change it there"));
  return false;
}

bool CheckRequest(const PlanRequest& request, const config::Node& root, Diagnostics* diagnostics) {
  const bool is_fit = CheckGiven("parallelism", request.parallelism, root, diagnostics);
  return CheckGiven("max_parallelism", request.max_parallelism, root, diagnostics) && is_fit;
}

}  // namespace

PlanResult MakePlan(const PlanRequest& request) {
  PlanResult result;
  const std::unique_ptr<Descriptor> descriptor = ReadDescriptor(
      config::MakeSource(request.file_name, request.text), LookupOf(request), &result.diagnostics);
  if (descriptor == nullptr) return result;
  if (!CheckRequest(request, descriptor->document->root(), &result.diagnostics)) return result;
  if (request.parallelism.has_value()) descriptor->settings.parallelism = *request.parallelism;
  const StepGraph graph = BuildStepGraph(*descriptor, &result.diagnostics);
  PlanBuilder builder(*descriptor, graph, &result.diagnostics);
  StepPlanner(*descriptor, graph, &builder, request, &result.diagnostics).PlanAll();
  Plan plan = builder.Finish(request.max_parallelism);
  if (result.diagnostics.HasErrors()) return result;
  WarnOfUnusedSteps(*descriptor, graph, &result.diagnostics);
  result.plan = std::make_shared<const Plan>(std::move(plan));
  return result;
}

}  // namespace weir::graph
