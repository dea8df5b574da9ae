#include "common/graph/job_graph.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::graph {
namespace {

std::vector<size_t> CountConsumers(const Plan& plan) {
  std::vector<size_t> counts(plan.nodes.size(), 0);
  for (const PlanNode& node : plan.nodes) {
    for (const PlanInput& input : node.inputs) ++counts[input.node];
  }
  return counts;
}

// Whether `node` runs in the same task as its only producer.
bool JoinsProducer(const Plan& plan, const PlanNode& node,
                   const std::vector<size_t>& consumer_counts) {
  if (node.inputs.size() != 1) return false;
  const PlanInput& input = node.inputs.front();
  return input.partitioning == Partitioning::kForward && consumer_counts[input.node] == 1 &&
         plan.nodes[input.node].parallelism == node.parallelism;
}

}  // namespace

JobGraph BuildJobGraph(const Plan& plan) {
  const std::vector<size_t> consumer_counts = CountConsumers(plan);
  JobGraph graph;
  std::vector<VertexIndex> vertex_of(plan.nodes.size());
  for (NodeIndex i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    if (JoinsProducer(plan, node, consumer_counts)) {
      WEIR_CHECK(node.inputs.front().node < i);
      vertex_of[i] = vertex_of[node.inputs.front().node];
      JobVertex& vertex = graph.vertices[vertex_of[i]];
      vertex.chain.push_back(i);
      absl::StrAppend(&vertex.name, " -> ", node.id);
      continue;
    }
    vertex_of[i] = graph.vertices.size();
    JobVertex& vertex = graph.vertices.emplace_back();
    vertex.name = node.id;
    vertex.chain = {i};
    vertex.parallelism = node.parallelism;
    for (const PlanInput& input : node.inputs) {
      WEIR_CHECK(input.node < i);
      const VertexIndex from = vertex_of[input.node];
      vertex.inputs.push_back(graph.edges.size());
      graph.vertices[from].outputs.push_back(graph.edges.size());
      graph.edges.push_back({.from = from,
                             .to = vertex_of[i],
                             .partitioning = input.partitioning,
                             .key = input.key,
                             .schema = plan.nodes[input.node].schema});
    }
  }
  return graph;
}

}  // namespace weir::graph
