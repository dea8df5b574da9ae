// Planning in tests: descriptors as text, and words about what came out.
#pragma once

#include <map>
#include <string>

#include "common/graph/planner.h"

namespace weir::graph {

using Variables = std::map<std::string, std::string>;

PlanResult PlanText(const std::string& text, const Variables& variables = {},
                    absl::optional<int64_t> parallelism = absl::nullopt);

// A plan without errors; the test fails if there are any.
std::shared_ptr<const Plan> MustPlan(const std::string& text);

// "E0203 12:14; W0401 3:5", by position.
std::string Codes(const PlanResult& result);
// All messages, rendered.
std::string Rendered(const PlanResult& result);

// The node with this id; the test fails if there is none.
const PlanNode& NodeOf(const Plan& plan, const std::string& id);
// "counts/project hash(0), lines forward": the node's inputs.
std::string InputsOf(const Plan& plan, const std::string& id);

// A job whose transforms are given, from source `bids` (auction int64 not null, bidder int64,
// price decimal(12,2), channel string, ts timestamp not null; event time ts, 5s) and, if it is
// read, source `plain` (the same without event time) into sink `out` (blackhole, changelog log)
// that reads `input`. `settings` is a flow map such as "{parallelism: 2}".
std::string BidJob(const std::string& transforms, const std::string& input,
                   const std::string& settings = "{}");

}  // namespace weir::graph
