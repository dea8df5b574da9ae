#include "common/graph/parallelism_range.h"

#include <absl/strings/str_cat.h>

#include "common/graph/settings_options.h"

namespace weir::graph {

static_assert(kParallelismMax == kMaxParallelismMax, "a flag takes what a descriptor takes");

absl::Status CheckParallelism(StringView name, int64_t value) {
  if (value >= kParallelismMin && value <= kParallelismMax) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", value,
                                                 "; it must be a whole number from ",
                                                 kParallelismMin, " to ", kParallelismMax));
}

}  // namespace weir::graph
