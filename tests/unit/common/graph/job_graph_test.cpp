// What must hold: operators share a task exactly where rows go straight from one subtask to the
// same subtask and nobody else reads or writes them.
#include "common/graph/job_graph.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

types::SchemaPtr OneColumn() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"a", types::kInt64Type, true}});
}

PlanNode Node(const std::string& id, uint32_t parallelism, std::vector<PlanInput> inputs) {
  PlanNode node;
  node.id = id;
  node.parallelism = parallelism;
  node.inputs = std::move(inputs);
  node.schema = OneColumn();
  return node;
}

PlanInput Forward(NodeIndex from) {
  return {.node = from, .partitioning = Partitioning::kForward, .key = {}};
}

PlanInput Hash(NodeIndex from) {
  return {.node = from, .partitioning = Partitioning::kHash, .key = {0}};
}

std::vector<std::string> VertexNames(const JobGraph& graph) {
  std::vector<std::string> names;
  for (const JobVertex& vertex : graph.vertices) names.push_back(vertex.name);
  return names;
}

}  // namespace

TEST_CASE("Forward edges become chains and others edges between vertices", "[graph][unit]") {
  Plan plan;
  plan.nodes = {Node("a", 2, {}), Node("b", 2, {Forward(0)}), Node("c", 2, {Hash(1)}),
                Node("d", 2, {Forward(2)})};
  const JobGraph graph = BuildJobGraph(plan);

  CHECK(VertexNames(graph) == std::vector<std::string>{"a -> b", "c -> d"});
  REQUIRE(graph.edges.size() == 1);
  CHECK(graph.edges[0].from == 0);
  CHECK(graph.edges[0].to == 1);
  CHECK(graph.edges[0].key == std::vector<size_t>{0});
  CHECK(graph.vertices[0].outputs == std::vector<EdgeIndex>{0});
  CHECK(graph.vertices[1].inputs == std::vector<EdgeIndex>{0});
  CHECK(graph.vertices[1].parallelism == 2);
}

TEST_CASE("A producer with two consumers chains neither", "[graph][unit]") {
  Plan plan;
  plan.nodes = {Node("a", 1, {}), Node("b", 1, {Forward(0)}), Node("c", 1, {Forward(0)})};
  const JobGraph graph = BuildJobGraph(plan);
  CHECK(VertexNames(graph) == std::vector<std::string>{"a", "b", "c"});
  CHECK(graph.vertices[0].outputs.size() == 2);
}

TEST_CASE("A consumer with two inputs heads a vertex of its own", "[graph][unit]") {
  Plan plan;
  plan.nodes = {Node("a", 1, {}), Node("b", 1, {}), Node("c", 1, {Forward(0), Forward(1)}),
                Node("d", 1, {Forward(2)})};
  const JobGraph graph = BuildJobGraph(plan);
  CHECK(VertexNames(graph) == std::vector<std::string>{"a", "b", "c -> d"});
  CHECK(graph.vertices[2].inputs.size() == 2);
}

TEST_CASE("A producer read twice by one consumer is not chained to it", "[graph][unit]") {
  Plan plan;
  plan.nodes = {Node("a", 1, {}), Node("b", 1, {Forward(0), Forward(0)})};
  CHECK(VertexNames(BuildJobGraph(plan)) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("Forward channels connect equal subtasks and others connect all", "[graph][unit]") {
  JobEdge edge;
  edge.partitioning = Partitioning::kForward;
  CHECK(Connects(edge, 1, 1));
  CHECK_FALSE(Connects(edge, 1, 0));
  for (const Partitioning all :
       {Partitioning::kHash, Partitioning::kRebalance, Partitioning::kBroadcast}) {
    edge.partitioning = all;
    CHECK(Connects(edge, 1, 0));
  }
}

TEST_CASE("The vertices of a planned job are in an order in which inputs come first",
          "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  late: {type: union, inputs: [early, bids]}
  early: {type: filter, input: bids, where: auction > 3}
  grouped: {type: aggregate, input: late, key_by: [auction], aggregates: {n: count(*)}}
)",
                                    "[grouped]", "{parallelism: 3}"));
  const JobGraph graph = BuildJobGraph(*plan);
  for (const JobEdge& edge : graph.edges) CHECK(edge.from < edge.to);
  for (VertexIndex i = 0; i < graph.vertices.size(); ++i) {
    for (const EdgeIndex edge : graph.vertices[i].inputs) CHECK(graph.edges[edge].to == i);
    for (const EdgeIndex edge : graph.vertices[i].outputs) CHECK(graph.edges[edge].from == i);
  }
}

}  // namespace weir::graph
