// TagGroup: sixteen tags of a chunk compared at once. Internal to the table.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "common/state/table_nodes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::state {

#if defined(__SSE2__)
// Bit i of a mask speaks of tag i.
class TagGroup {
 public:
  explicit TagGroup(const uint8_t* tags)
      : tags_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(tags))) {}
  uint32_t Match(uint8_t tag) const {
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(tags_, wanted)));
  }

 private:
  __m128i tags_;
};
#else
// The same without SSE2.
class TagGroup {
 public:
  explicit TagGroup(const uint8_t* tags) { std::memcpy(tags_, tags, sizeof(tags_)); }
  uint32_t Match(uint8_t tag) const {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < kTagGroup; ++i) mask |= uint32_t{tags_[i] == tag} << i;
    return mask;
  }

 private:
  uint8_t tags_[kTagGroup];
};
#endif

}  // namespace weir::state
