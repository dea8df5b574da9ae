// Explain as JSON: a plan for tools.
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/config/diagnostic_text.h"
#include "common/config/values.h"
#include "common/graph/explain.h"
#include "common/graph/job_graph.h"
#include "common/graph/step_summary.h"

namespace weir::graph {
namespace {

// Writes members of one object, with the commas between them.
//
// Life: a local of the function that writes the object.
class Members {
 public:
  explicit Members(std::string* out) : out_(*out) {}

  void Text(StringView name, StringView value) {
    Name(name);
    config::AppendJsonString(value, &out_);
  }
  void Number(StringView name, int64_t value) {
    Name(name);
    absl::StrAppend(&out_, value);
  }
  void Bool(StringView name, bool value) {
    Name(name);
    absl::StrAppend(&out_, value ? "true" : "false");
  }
  void Raw(StringView name, StringView json) {
    Name(name);
    absl::StrAppend(&out_, json);
  }

 private:
  void Name(StringView name) {
    absl::StrAppend(&out_, is_first_ ? "\"" : ",\"", name, "\":");
    is_first_ = false;
  }

  std::string& out_;
  bool is_first_ = true;
};

std::string ArrayOf(const std::vector<std::string>& elements) {
  std::string json = "[";
  for (const std::string& element : elements) {
    absl::StrAppend(&json, json.size() == 1 ? "" : ",", element);
  }
  return absl::StrCat(json, "]");
}

std::string NamesJson(const std::vector<size_t>& columns, const types::Schema& schema) {
  std::vector<std::string> names;
  for (const size_t column : columns) {
    std::string& name = names.emplace_back();
    config::AppendJsonString(schema.field(column).name, &name);
  }
  return ArrayOf(names);
}

std::string SchemaJson(const types::Schema& schema) {
  std::vector<std::string> fields;
  for (const types::Field& field : schema.fields()) {
    std::string json;
    Members members(&json);
    members.Text("name", field.name);
    members.Text("type", field.type.ToString());
    members.Bool("nullable", field.nullable);
    fields.push_back(absl::StrCat("{", json, "}"));
  }
  return ArrayOf(fields);
}

std::string ChangelogJson(const Changelog& changelog, const types::Schema& schema) {
  std::string json;
  Members members(&json);
  members.Text("mode", ModeText(changelog.mode));
  if (changelog.mode == ChangelogMode::kUpsert) {
    members.Raw("key", NamesJson(changelog.key, schema));
  }
  return absl::StrCat("{", json, "}");
}

std::string InputsJson(const Plan& plan, const PlanNode& node) {
  std::vector<std::string> inputs;
  for (const PlanInput& input : node.inputs) {
    const PlanNode& from = plan.nodes[input.node];
    std::string json;
    Members members(&json);
    members.Text("from", from.id);
    members.Text("partitioning", PartitioningText(input.partitioning));
    if (input.partitioning == Partitioning::kHash) {
      members.Raw("key", NamesJson(input.key, *from.schema));
    }
    inputs.push_back(absl::StrCat("{", json, "}"));
  }
  return ArrayOf(inputs);
}

std::string NodeJson(const Plan& plan, const PlanNode& node, StringView watermark) {
  std::string json;
  Members members(&json);
  members.Text("id", node.id);
  members.Text("step", node.step_id);
  members.Text("uid", node.uid);
  members.Text("label", node.label);
  members.Text("type", KindText(node.spec));
  members.Text("detail", DetailText(node.spec));
  members.Number("parallelism", int64_t{node.parallelism});
  members.Raw("inputs", InputsJson(plan, node));
  members.Raw("schema", SchemaJson(*node.schema));
  members.Raw("changelog", ChangelogJson(node.changelog, *node.schema));
  if (const auto* sink = std::get_if<SinkSpec>(&node.spec)) {
    members.Text("writes", SinkChangelogText(sink->changelog));
    members.Text("visible", VisibilityText(node, plan.settings));
  }
  members.Bool("event_time", node.has_event_time);
  members.Text("watermark", watermark);
  members.Text("state", StateText(node));
  members.Text("state_signature", node.state_signature);
  return absl::StrCat("{", json, "}");
}

std::string VertexJson(const Plan& plan, const JobVertex& vertex) {
  std::vector<std::string> chain;
  for (const NodeIndex node : vertex.chain) {
    config::AppendJsonString(plan.nodes[node].id, &chain.emplace_back());
  }
  std::string json;
  Members members(&json);
  members.Text("name", vertex.name);
  members.Number("parallelism", int64_t{vertex.parallelism});
  members.Raw("chain", ArrayOf(chain));
  return absl::StrCat("{", json, "}");
}

std::string EdgeJson(const JobEdge& edge) {
  std::string json;
  Members members(&json);
  members.Number("from", static_cast<int64_t>(edge.from));
  members.Number("to", static_cast<int64_t>(edge.to));
  members.Text("partitioning", PartitioningText(edge.partitioning));
  members.Raw("key", NamesJson(edge.key, *edge.schema));
  members.Raw("schema", SchemaJson(*edge.schema));
  return absl::StrCat("{", json, "}");
}

}  // namespace

std::string ExplainJson(const Plan& plan) {
  const JobGraph graph = BuildJobGraph(plan);
  const std::vector<std::string> watermarks = WatermarkTexts(plan);
  std::vector<std::string> nodes;
  for (NodeIndex i = 0; i < plan.nodes.size(); ++i) {
    nodes.push_back(NodeJson(plan, plan.nodes[i], watermarks[i]));
  }
  std::vector<std::string> vertices;
  for (const JobVertex& vertex : graph.vertices) vertices.push_back(VertexJson(plan, vertex));
  std::vector<std::string> edges;
  for (const JobEdge& edge : graph.edges) edges.push_back(EdgeJson(edge));

  std::string json;
  Members members(&json);
  members.Text("job", plan.name);
  members.Number("parallelism", plan.settings.parallelism);
  members.Number("max_parallelism", plan.settings.max_parallelism);
  const auto& interval = plan.settings.checkpointing.interval;
  if (interval.has_value()) {
    members.Text("checkpoint_interval", config::DurationText(*interval));
  } else {
    members.Raw("checkpoint_interval", "null");
  }
  members.Text("restart", RestartText(plan.settings.restart));
  members.Raw("operators", ArrayOf(nodes));
  members.Raw("vertices", ArrayOf(vertices));
  members.Raw("edges", ArrayOf(edges));
  return json;
}

}  // namespace weir::graph
