// Frozen hashes: functions whose values are stored and sent, so they never change (docs/adr/0007).
// XXH3_64 (Yann Collet's xxHash 0.8) and the 32-bit murmur step of key-group assignment.
// Golden values: tests/unit/common/io/hash_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/string_view.h"

namespace weir::io {

// XXH3_64 with seed 0.
uint64_t Xxh3(const void* data, size_t size);
inline uint64_t Xxh3(StringView bytes) {
  return Xxh3(bytes.data(), bytes.size());
}

}  // namespace weir::io
