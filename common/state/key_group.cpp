#include "common/state/key_group.h"

#include <algorithm>
#include <bit>

namespace weir::state {

uint32_t MurmurOfHash(uint32_t hash) {
  hash *= 0xcc9e2d51u;
  hash = std::rotl(hash, 15);
  hash *= 0x1b873593u;
  hash = std::rotl(hash, 13);
  hash = hash * 5 + 0xe6546b64u;
  hash ^= 4;
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  hash ^= hash >> 16;
  if (hash == 0x80000000u) return 0;
  return hash < 0x80000000u ? hash : ~hash + 1;
}

uint32_t DefaultMaxParallelism(uint32_t parallelism) {
  const uint32_t wanted = std::bit_ceil(parallelism + parallelism / 2);
  return std::clamp(wanted, kMaxParallelismDefaultMin, kMaxParallelismMax);
}

}  // namespace weir::state
