#include "common/graph/plan_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::graph {
namespace {

namespace codes = config::codes;

std::vector<size_t> FirstColumns(size_t count) {
  std::vector<size_t> columns(count);
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

}  // namespace

PlanBuilder::PlanBuilder(const Descriptor& descriptor, const StepGraph& graph,
                         config::Diagnostics* diagnostics)
    : descriptor_(descriptor),
      graph_(graph),
      diagnostics_(*diagnostics),
      outputs_(descriptor.steps.size()) {
  plan_.name = descriptor.top.name;
  plan_.description = descriptor.top.description;
  plan_.labels = descriptor.top.labels;
  plan_.settings = FinishSettings(descriptor.settings);
}

void PlanBuilder::AddSource(StepIndex step, BoundSource source) {
  if (!IsBuildable(step)) return;
  PlanNode node = NewNode(step, "", std::move(source.spec), source.rows);
  node.state_signature = std::move(source.state_signature);
  outputs_[step] = Append(std::move(node));
}

void PlanBuilder::AddStep(StepIndex step, StepSpec spec, const EdgeRows& rows) {
  if (!IsBuildable(step)) return;
  PlanNode node = NewNode(step, "", std::move(spec), rows);
  node.inputs = ConnectAll(step, node.parallelism);
  outputs_[step] = Append(std::move(node));
}

void PlanBuilder::AddAggregate(StepIndex step, BoundAggregateStep aggregate) {
  const uint32_t wanted = ParallelismOf(step);
  const size_t key_count = aggregate.spec.key_count;
  if (key_count == 0 && wanted > 1) {
    diagnostics_.Add(config::NoteAt(*descriptor_.steps[step].key, codes::kGlobalGroup,
                                    absl::StrCat("'", descriptor_.steps[step].id,
                                                 "' has one global group and runs at "
                                                 "parallelism 1")));
  }
  if (!IsBuildable(step)) return;
  const NodeIndex producer = *outputs_[graph_.inputs[step].front()];
  PlanNode project = NewNode(step, "project", std::move(aggregate.project), aggregate.projected);
  project.parallelism = plan_.nodes[producer].parallelism;
  project.inputs = {Connect(producer, project.parallelism)};
  const NodeIndex projected = Append(std::move(project));

  std::string signature = AggregateSignature(aggregate);
  PlanNode node = NewNode(step, "", std::move(aggregate.spec), aggregate.rows);
  node.parallelism = key_count == 0 ? 1 : wanted;
  node.state_signature = std::move(signature);
  node.inputs = {
      {.node = projected, .partitioning = Partitioning::kHash, .key = FirstColumns(key_count)}};
  outputs_[step] = Append(std::move(node));
  if (aggregate.having == nullptr) return;

  PlanNode having = NewNode(
      step, "having",
      FilterSpec{.where = std::move(aggregate.having), .on_error = aggregate.project.on_error},
      aggregate.rows);
  having.parallelism = plan_.nodes[*outputs_[step]].parallelism;
  having.inputs = {Connect(*outputs_[step], having.parallelism)};
  outputs_[step] = Append(std::move(having));
}

void PlanBuilder::AddSink(StepIndex step, BoundSink sink, const EdgeRows& rows) {
  if (!IsBuildable(step)) return;
  PlanNode node = NewNode(step, "", std::move(sink.spec), rows);
  node.schema = std::move(sink.schema);
  node.state_signature = std::move(sink.state_signature);
  node.inputs = ConnectAll(step, node.parallelism);
  if (node.inputs.size() > 1) {
    PlanNode united = NewNode(step, "union", UnionSpec{}, rows);
    united.inputs = std::move(node.inputs);
    node.inputs = {Connect(Append(std::move(united)), node.parallelism)};
  }
  Append(std::move(node));
}

Plan PlanBuilder::Finish(absl::optional<int64_t> max_parallelism) {
  int64_t highest = plan_.settings.parallelism;
  for (const PlanNode& node : plan_.nodes) {
    highest = std::max(highest, int64_t{node.parallelism});
  }
  int64_t& limit = plan_.settings.max_parallelism;
  if (limit == 0) limit = max_parallelism.value_or(DefaultMaxParallelism(highest));
  for (const DescriptorStep& step : descriptor_.steps) {
    const config::Located<int64_t>& own = step.common().parallelism;
    if (!own.IsSet() || *own <= limit) continue;
    diagnostics_.Add(
        config::ErrorAt(*own.node, codes::kParallelismTooHigh,
                        absl::StrCat("parallelism ", *own, " exceeds max_parallelism ", limit)));
  }
  if (plan_.settings.parallelism > limit) {
    const SettingsOptions& settings = descriptor_.settings;
    const config::Node* const place =
        settings.parallelism.IsSet() ? settings.parallelism.node : settings.max_parallelism.node;
    // The default is within every limit: what no key sets was asked for beside the descriptor.
    const bool is_flag = !settings.parallelism.IsSet();
    config::Diagnostic error = config::ErrorAt(
        place != nullptr ? *place : descriptor_.document->root(), codes::kParallelismTooHigh,
        absl::StrCat(is_flag ? "--" : "", "parallelism ", plan_.settings.parallelism,
                     " exceeds max_parallelism ", limit));
    if (is_flag) {
      error.Help(absl::StrCat("choose a --parallelism of at most ", limit,
                              "; max_parallelism is fixed by a job's first start"));
    }
    diagnostics_.Add(std::move(error));
  }
  return std::move(plan_);
}

uint32_t PlanBuilder::ParallelismOf(StepIndex step) const {
  const config::Located<int64_t>& own = descriptor_.steps[step].common().parallelism;
  return static_cast<uint32_t>(own.IsSet() ? *own : plan_.settings.parallelism);
}

PlanNode PlanBuilder::NewNode(StepIndex step, StringView role, StepSpec spec,
                              const EdgeRows& rows) const {
  const DescriptorStep& described = descriptor_.steps[step];
  const StepCommon& common = described.common();
  const std::string suffix = role.empty() ? "" : absl::StrCat("/", role);
  PlanNode node;
  node.id = described.id + suffix;
  node.step_id = described.id;
  node.uid = (common.uid.IsSet() ? *common.uid : described.id) + suffix;
  node.label = common.label.empty() ? described.id : common.label;
  node.spec = std::move(spec);
  node.schema = rows.schema;
  node.changelog = rows.changelog;
  node.has_event_time = rows.has_event_time;
  node.parallelism = ParallelismOf(step);
  return node;
}

NodeIndex PlanBuilder::Append(PlanNode node) {
  for (const PlanInput& input : node.inputs) WEIR_CHECK(input.node < plan_.nodes.size());
  plan_.nodes.push_back(std::move(node));
  return plan_.nodes.size() - 1;
}

PlanInput PlanBuilder::Connect(NodeIndex producer, uint32_t parallelism) const {
  const PlanNode& from = plan_.nodes[producer];
  if (from.parallelism == parallelism) {
    return {.node = producer, .partitioning = Partitioning::kForward, .key = {}};
  }
  // The changes of one row must stay in order, so they all go the same way.
  switch (from.changelog.mode) {
    case ChangelogMode::kAppend:
      break;
    case ChangelogMode::kUpsert:
      return {.node = producer, .partitioning = Partitioning::kHash, .key = from.changelog.key};
    case ChangelogMode::kRetract:
      return {.node = producer,
              .partitioning = Partitioning::kHash,
              .key = FirstColumns(from.schema->size())};
  }
  return {.node = producer, .partitioning = Partitioning::kRebalance, .key = {}};
}

std::vector<PlanInput> PlanBuilder::ConnectAll(StepIndex step, uint32_t parallelism) const {
  std::vector<PlanInput> inputs;
  for (const StepIndex input : graph_.inputs[step]) {
    inputs.push_back(Connect(*outputs_[input], parallelism));
  }
  return inputs;
}

bool PlanBuilder::IsBuildable(StepIndex step) const {
  const std::vector<StepIndex>& inputs = graph_.inputs[step];
  return graph_.is_needed[step] && std::all_of(inputs.begin(), inputs.end(), [this](StepIndex i) {
           return outputs_[i].has_value();
         });
}

}  // namespace weir::graph
