// Plan: a checked job: every expression bound, every schema, key, changelog mode and state known.
// Made by the planner from a descriptor's text alone, so that every process plans the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/graph/settings.h"
#include "common/graph/steps/specs.h"
#include "common/types/schema.h"

namespace weir::graph {

enum class ChangelogMode : uint8_t {
  kAppend,   // inserts only
  kUpsert,   // at most one live row per value of `key`
  kRetract,  // inserts and deletes without a key
};

struct Changelog {
  ChangelogMode mode = ChangelogMode::kAppend;
  std::vector<size_t> key;  // columns, for kUpsert

  bool operator==(const Changelog&) const = default;
  bool IsUpdating() const { return mode != ChangelogMode::kAppend; }
};

enum class Partitioning : uint8_t {
  kForward,    // subtask i to subtask i; the same parallelism on both sides
  kHash,       // by key group of `key`
  kRebalance,  // batches in turn to each subtask
  kBroadcast,  // every row to every subtask
};

using NodeIndex = size_t;

struct PlanInput {
  NodeIndex node = 0;
  Partitioning partitioning = Partitioning::kForward;
  std::vector<size_t> key;  // columns of the producer's schema, for kHash
};

// One operator. A step may need several: `counts/project` feeds `counts`.
struct PlanNode {
  std::string id;       // unique: the step's id, or "<step>/<role>"
  std::string step_id;  // the id in the descriptor
  std::string uid;      // names its state; `uid:` of the step, or its id, with the same role behind
  std::string label;    // for people
  StepSpec spec;
  std::vector<PlanInput> inputs;  // empty for a source
  types::SchemaPtr schema;        // of the output; for a sink, of what it writes
  Changelog changelog;            // of the output
  bool has_event_time = false;    // rows carry an event time
  uint32_t parallelism = 1;
  // What its state looks like and means, compared on restore; empty: stateless.
  std::string state_signature;

  bool IsSource() const { return inputs.empty(); }
};

// Nodes in topological order: inputs come first.
struct Plan {
  std::string name;
  std::string description;
  std::map<std::string, std::string> labels;
  JobSettings settings;  // max_parallelism set
  std::vector<PlanNode> nodes;
};

}  // namespace weir::graph
