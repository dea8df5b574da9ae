#include "common/state/key_group.h"

#include <algorithm>
#include <bit>

namespace weir::state {

uint32_t DefaultMaxParallelism(uint32_t parallelism) {
  const uint32_t wanted = std::bit_ceil(parallelism + parallelism / 2);
  return std::clamp(wanted, kMaxParallelismDefaultMin, kMaxParallelismMax);
}

}  // namespace weir::state
