// Key groups: the unit in which keyed state is dealt out to subtasks.
// A key belongs to one of `max_parallelism` groups for ever; a subtask owns a contiguous range.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "common/base/check.h"

namespace weir::state {

// Largest max_parallelism: the products below stay within 32 bits.
inline constexpr uint32_t kMaxParallelismMax = 1u << 15;
// Smallest default max_parallelism, see DefaultMaxParallelism().
inline constexpr uint32_t kMaxParallelismDefaultMin = 128;
static_assert(kMaxParallelismDefaultMin <= kMaxParallelismMax);

// Groups first..last, both inclusive. Empty when first > last.
struct KeyGroupRange {
  uint32_t first = 1;
  uint32_t last = 0;

  bool operator==(const KeyGroupRange&) const = default;
  bool IsEmpty() const { return first > last; }
  uint32_t Size() const { return IsEmpty() ? 0 : last - first + 1; }
  bool Contains(uint32_t group) const { return first <= group && group <= last; }
  KeyGroupRange Intersection(const KeyGroupRange& other) const {
    const KeyGroupRange both{first > other.first ? first : other.first,
                             last < other.last ? last : other.last};
    return both.IsEmpty() ? KeyGroupRange{} : both;
  }
};

// The murmur3 finish of a 32-bit hash, made non-negative. Frozen: golden values are tested.
constexpr uint32_t MurmurOfHash(uint32_t hash) {
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

// The group of a key whose 32-bit hash is `hash`. REQUIRES: 0 < max_parallelism <= 2^15.
inline uint32_t KeyGroupOfHash(uint32_t hash, uint32_t max_parallelism) {
  return MurmurOfHash(hash) % max_parallelism;
}

// Range of subtask `index` of `parallelism`: [(i*M + p - 1) / p, ((i+1)*M - 1) / p].
// REQUIRES: index < parallelism <= max_parallelism.
inline KeyGroupRange RangeOfSubtask(uint32_t index, uint32_t parallelism,
                                    uint32_t max_parallelism) {
  WEIR_CHECK(index < parallelism);
  WEIR_CHECK(parallelism <= max_parallelism);
  return {(index * max_parallelism + parallelism - 1) / parallelism,
          ((index + 1) * max_parallelism - 1) / parallelism};
}

// Inverse of RangeOfSubtask().
inline uint32_t SubtaskOfKeyGroup(uint32_t group, uint32_t parallelism, uint32_t max_parallelism) {
  return group * parallelism / max_parallelism;
}

// clamp(1.5 * parallelism rounded up to a power of two, 128, 32768).
uint32_t DefaultMaxParallelism(uint32_t parallelism);

}  // namespace weir::state
