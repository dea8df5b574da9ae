#include "common/io/hash.h"

#include <xxhash.h>

namespace weir::io {

uint64_t Xxh3(const void* data, size_t size) {
  return XXH3_64bits(data, size);
}

}  // namespace weir::io
