// Explain as text: a plan for people.
#include <algorithm>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "common/config/values.h"
#include "common/graph/explain.h"
#include "common/graph/job_graph.h"
#include "common/graph/sink_step.h"
#include "common/graph/step_summary.h"

namespace weir::graph {
namespace {

std::string HeadLine(const Plan& plan) {
  const auto& interval = plan.settings.checkpointing.interval;
  return absl::StrCat(
      "job ", plan.name, "   parallelism ", plan.settings.parallelism, "   max_parallelism ",
      plan.settings.max_parallelism, "   checkpoints ",
      interval.has_value() ? absl::StrCat("every ", config::DurationText(*interval)) : "none",
      "   restarts ", RestartText(plan.settings.restart), "\n");
}

// What the node's output is, or what a sink takes.
std::string FlowText(const PlanNode& node) {
  if (const auto* sink = std::get_if<SinkSpec>(&node.spec)) {
    return absl::StrCat("takes ", SinkChangelogText(sink->changelog));
  }
  return ChangelogText(node.changelog, *node.schema);
}

std::string WhatText(const PlanNode& node) {
  const std::string detail = DetailText(node.spec);
  return absl::StrCat(KindText(node.spec), detail.empty() ? "" : " ", detail);
}

// "hash exchange on word from counts/project"
std::string InputText(const Plan& plan, const PlanInput& input) {
  const PlanNode& from = plan.nodes[input.node];
  std::string text = absl::StrCat(PartitioningText(input.partitioning), " from ", from.id);
  if (input.partitioning == Partitioning::kHash) {
    absl::StrAppend(&text, " on ",
                    input.key.empty() ? "nothing: all rows go to one subtask"
                                      : ColumnsText(input.key, *from.schema));
  }
  return text;
}

// The head of the chain that each node runs in, by node index.
std::vector<NodeIndex> ChainHeads(const Plan& plan, const JobGraph& graph) {
  std::vector<NodeIndex> heads(plan.nodes.size());
  for (const JobVertex& vertex : graph.vertices) {
    for (const NodeIndex node : vertex.chain) heads[node] = vertex.chain.front();
  }
  return heads;
}

size_t Widest(const Plan& plan, std::string (*text)(const PlanNode&)) {
  size_t width = 0;
  for (const PlanNode& node : plan.nodes) width = std::max(width, text(node).size());
  return width;
}

std::string IdText(const PlanNode& node) {
  return node.id;
}

void AppendOperators(const Plan& plan, const JobGraph& graph, std::string* out) {
  const std::vector<std::string> watermarks = WatermarkTexts(plan);
  const std::vector<NodeIndex> heads = ChainHeads(plan, graph);
  const int id_width = static_cast<int>(Widest(plan, IdText));
  const int what_width = static_cast<int>(Widest(plan, WhatText));
  const int flow_width = static_cast<int>(Widest(plan, FlowText));
  for (NodeIndex i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    absl::StrAppend(out, absl::StrFormat(" %-*s  %-*s  %-*s  x%d", id_width, node.id, what_width,
                                         WhatText(node), flow_width, FlowText(node),
                                         static_cast<int>(node.parallelism)));
    if (heads[i] != i) absl::StrAppend(out, "  chained to ", plan.nodes[heads[i]].id);
    if (node.id != node.step_id) absl::StrAppend(out, "  [+]");
    absl::StrAppend(out, "\n");
    for (const PlanInput& input : node.inputs) {
      if (heads[i] == i) absl::StrAppend(out, "   = ", InputText(plan, input), "\n");
    }
    const bool is_sink = std::holds_alternative<SinkSpec>(node.spec);
    absl::StrAppend(out, is_sink ? "   writes    " : "   rows      ", node.schema->ToString(),
                    "\n");
    if (node.has_event_time && !is_sink) {
      absl::StrAppend(out, "   watermark ", watermarks[i], "\n");
    }
    const std::string state = StateText(node);
    if (!state.empty()) absl::StrAppend(out, "   state     ", state, "\n");
    const std::string visibility = VisibilityText(node, plan.settings);
    if (!visibility.empty()) absl::StrAppend(out, "   visible   ", visibility, "\n");
  }
}

bool HasAddedNodes(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(),
                     [](const PlanNode& node) { return node.id != node.step_id; });
}

void AppendPhysical(const JobGraph& graph, std::string* out) {
  absl::StrAppend(out, "\nvertices: what runs in one task\n");
  for (size_t i = 0; i < graph.vertices.size(); ++i) {
    const JobVertex& vertex = graph.vertices[i];
    absl::StrAppend(out, absl::StrFormat(" %2d  x%d  %s\n", static_cast<int>(i),
                                         static_cast<int>(vertex.parallelism), vertex.name));
  }
  if (!graph.edges.empty()) absl::StrAppend(out, "edges: how rows travel between tasks\n");
  for (const JobEdge& edge : graph.edges) {
    const uint32_t from = graph.vertices[edge.from].parallelism;
    const uint32_t to = graph.vertices[edge.to].parallelism;
    const uint64_t channels =
        edge.partitioning == Partitioning::kForward ? from : uint64_t{from} * to;
    absl::StrAppend(
        out, absl::StrFormat(
                 " %2d -> %d  %s%s, %d channels: %s\n", static_cast<int>(edge.from),
                 static_cast<int>(edge.to), std::string(PartitioningText(edge.partitioning)),
                 edge.key.empty() ? "" : absl::StrCat(" on ", ColumnsText(edge.key, *edge.schema)),
                 static_cast<int64_t>(channels), edge.schema->ToString()));
  }
}

}  // namespace

std::string ExplainText(const Plan& plan, ExplainView view) {
  const JobGraph graph = BuildJobGraph(plan);
  std::string out = HeadLine(plan);
  AppendOperators(plan, graph, &out);
  if (HasAddedNodes(plan)) absl::StrAppend(&out, "[+] added by the planner\n");
  if (view == ExplainView::kPhysical) AppendPhysical(graph, &out);
  return out;
}

}  // namespace weir::graph
