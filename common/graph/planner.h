// The planner: from a descriptor's text to a checked plan. A pure function of its arguments: every
// process that plans the same text gets the same plan.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <absl/types/optional.h>

#include "common/config/diagnostic.h"
#include "common/config/interpolation.h"
#include "common/graph/plan.h"

namespace weir::graph {

struct PlanRequest {
  std::string file_name;  // for messages
  std::string text;
  config::VariableLookup variables;  // null: none is set
  // In place of `settings.parallelism`; a step's own `parallelism` stays.
  absl::optional<int64_t> parallelism;
  // In place of the derived one, where `settings.max_parallelism` is not set: that of stored state.
  absl::optional<int64_t> max_parallelism;
  // Whether a path leads to something here, to warn of sources whose file does not exist. Not set:
  // nothing is looked up, so that a plan does not depend on the machine it is made on.
  std::function<bool(const std::string& path)> path_exists;
};

struct PlanResult {
  // Null if there are errors. Shared because explain, job graph and tasks read it.
  std::shared_ptr<const Plan> plan;
  config::Diagnostics diagnostics;
};

PlanResult MakePlan(const PlanRequest& request);

}  // namespace weir::graph
