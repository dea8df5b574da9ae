// Planning of a descriptor that lies in a file, with the variables of this process.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/graph/planner.h"

namespace weir::cli {

// The text of a descriptor. NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT (a directory, or larger
// than a descriptor may be): it cannot be read; the message names it.
absl::StatusOr<std::string> ReadDescriptorFile(const std::string& path);

// Whether a source whose file does not exist is warned of.
enum class PathCheck : uint8_t { kNone, kWarn };

// What errors there are is in the result; the status is about the file alone.
// `parallelism` and `max_parallelism`: see graph::PlanRequest.
absl::StatusOr<graph::PlanResult> PlanFile(const std::string& path,
                                           absl::optional<int64_t> parallelism,
                                           absl::optional<int64_t> max_parallelism = absl::nullopt,
                                           PathCheck path_check = PathCheck::kNone);

}  // namespace weir::cli
