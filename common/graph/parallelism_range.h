// The range of every parallelism and max_parallelism that is given beside a descriptor.
#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "common/base/string_view.h"

namespace weir::graph {

inline constexpr int64_t kParallelismMin = 1;
// As for those in a descriptor: state has no more key groups.
inline constexpr int64_t kParallelismMax = 32768;

// `name` is for the message: "member 'parallelism'". INVALID_ARGUMENT: out of range.
absl::Status CheckParallelism(StringView name, int64_t value);

}  // namespace weir::graph
