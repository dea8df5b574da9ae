// JobGraph: the plan's nodes grouped into vertices (operator chains that run in one task) and the
// edges between them. Pure: made from a Plan alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/graph/plan.h"

namespace weir::graph {

using VertexIndex = size_t;
using EdgeIndex = size_t;

struct JobEdge {
  VertexIndex from = 0;
  VertexIndex to = 0;
  Partitioning partitioning = Partitioning::kForward;
  std::vector<size_t> key;  // columns of `schema`, for kHash
  types::SchemaPtr schema;  // of the rows that flow
};

// A chain of nodes, head first, each but the last with the next as its only consumer.
struct JobVertex {
  std::string name;  // "words -> counts/project"
  std::vector<NodeIndex> chain;
  uint32_t parallelism = 1;
  std::vector<EdgeIndex> inputs;
  std::vector<EdgeIndex> outputs;
};

struct JobGraph {
  std::vector<JobVertex> vertices;  // in topological order
  std::vector<JobEdge> edges;
};

// Forward edges between nodes of the same parallelism become chains, where the producer has one
// consumer and the consumer one input.
JobGraph BuildJobGraph(const Plan& plan);

// Channels of an edge between the subtasks: does producer `from` send to consumer `to`?
// kForward: from == to; every other partitioning connects all.
inline bool Connects(const JobEdge& edge, uint32_t from, uint32_t to) {
  return edge.partitioning != Partitioning::kForward || from == to;
}

}  // namespace weir::graph
