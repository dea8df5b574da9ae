#include "tests/unit/common/graph/planned.h"

#include <algorithm>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <catch2/catch.hpp>

#include "common/config/diagnostic_text.h"
#include "common/graph/step_summary.h"

namespace weir::graph {

PlanResult PlanText(const std::string& text, const Variables& variables,
                    absl::optional<int64_t> parallelism) {
  PlanRequest request;
  request.file_name = "job.yaml";
  request.text = text;
  request.variables = [&variables](StringView name) -> absl::optional<std::string> {
    const auto found = variables.find(std::string(name));
    if (found == variables.end()) return absl::nullopt;
    return found->second;
  };
  request.parallelism = parallelism;
  return MakePlan(request);
}

std::shared_ptr<const Plan> MustPlan(const std::string& text) {
  const PlanResult result = PlanText(text);
  INFO(Rendered(result));
  REQUIRE(result.plan != nullptr);
  return result.plan;
}

std::string Codes(const PlanResult& result) {
  std::vector<std::string> codes;
  for (const config::Diagnostic& diagnostic : result.diagnostics.Sorted()) {
    const config::LineColumn place = diagnostic.range.Begin();
    codes.push_back(absl::StrCat(diagnostic.code.id, " ", place.line, ":", place.column));
  }
  return absl::StrJoin(codes, "; ");
}

std::string Rendered(const PlanResult& result) {
  return config::RenderText(result.diagnostics, config::Colour::kOff);
}

const PlanNode& NodeOf(const Plan& plan, const std::string& id) {
  const auto found = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [&id](const PlanNode& node) { return node.id == id; });
  INFO("node " << id);
  REQUIRE(found != plan.nodes.end());
  return *found;
}

std::string InputsOf(const Plan& plan, const std::string& id) {
  std::vector<std::string> texts;
  for (const PlanInput& input : NodeOf(plan, id).inputs) {
    std::string text =
        absl::StrCat(plan.nodes[input.node].id, " ", PartitioningText(input.partitioning));
    if (input.partitioning == Partitioning::kHash) {
      absl::StrAppend(&text, "(", absl::StrJoin(input.key, ","), ")");
    }
    texts.push_back(std::move(text));
  }
  return absl::StrJoin(texts, ", ");
}

std::string BidJob(const std::string& transforms, const std::string& input,
                   const std::string& settings) {
  constexpr const char* kSource = R"(    connector: file
    options: {path: bids.ndjson}
    format: json
    schema: bid
)";
  const bool has_plain = absl::StrContains(absl::StrCat(transforms, input), "plain");
  return absl::StrCat(
      "weir: 1\nname: bids\nsettings: ", settings, R"(
types:
  bid:
    auction: int64 not null
    bidder: int64
    price: decimal(12,2)
    channel: string
    ts: timestamp not null
sources:
  bids:
)",
      kSource, "    event_time: {column: ts, watermark: 5s}\n",
      has_plain ? absl::StrCat("  plain:\n", kSource) : "", "transforms:\n", transforms,
      "\nsinks:\n  out: {connector: blackhole, changelog: log, input: ", input, "}\n");
}

}  // namespace weir::graph
