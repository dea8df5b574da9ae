#include "cli/plan_source.h"

#include <utility>

#include "cli/plan_file.h"
#include "common/base/status_macros.h"
#include "common/config/interpolation.h"

namespace weir::cli {

absl::StatusOr<PlannedSource> PlanSource(const std::string& path,
                                         absl::optional<int64_t> parallelism) {
  PlannedSource planned;
  planned.source.file_name = path;
  planned.source.parallelism = parallelism;
  WEIR_ASSIGN_OR_RETURN(planned.source.text, ReadDescriptorFile(path));
  graph::PlanRequest request = graph::RequestOf(planned.source);
  request.variables = [&variables = planned.source.variables,
                       environment = config::EnvironmentLookup()](StringView name) {
    absl::optional<std::string> value = environment(name);
    if (value.has_value()) variables[std::string(name)] = *value;
    return value;
  };
  planned.result = graph::MakePlan(request);
  return planned;
}

}  // namespace weir::cli
