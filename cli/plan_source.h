// Planning of a descriptor for another process, which plans the same anew.
#pragma once

#include <string>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/graph/job_source.h"
#include "common/graph/planner.h"

namespace weir::cli {

struct PlannedSource {
  // Holds the variables of this process that the descriptor asks for, and no others.
  graph::JobSource source;
  graph::PlanResult result;
};

// Errors as PlanFile() of plan_file.h.
absl::StatusOr<PlannedSource> PlanSource(const std::string& path,
                                         absl::optional<int64_t> parallelism);

}  // namespace weir::cli
