// BlockMemory: memory for blocks that came over the network. They are made on a network loop and
// freed by the tasks that read them, at the network's speed: memory that went back to the system in
// between would cost more than the copy into it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/base/string_view.h"
#include "common/types/buffer.h"
#include "common/types/decimal.h"

namespace weir::network {

// Sizes are rounded up to steps of this; smaller blocks and larger ones than the most are not kept.
inline constexpr size_t kMemoryStepBytes = 16u << 10;
inline constexpr size_t kKeptBlockBytesMax = 1u << 20;
// Most memory that waits to be used again: what goes back and forth in a burst.
inline constexpr size_t kFreeMemoryBytesMax = 16u << 20;
static_assert(kKeptBlockBytesMax % kMemoryStepBytes == 0);

// Life:      shared by whoever copies and by every block, which outlive their connections.
// Thread:    any.
// Invariant: free_bytes_ is the sum over free_, at most kFreeMemoryBytesMax.
class BlockMemory : public std::enable_shared_from_this<BlockMemory> {
 public:
  // A copy on a 16-byte boundary.
  types::Buffer Copy(StringView bytes);

  size_t free_bytes();

 private:
  using Memory = types::PodVector<types::Int128>;

  Memory Take(size_t steps);
  void Return(size_t steps, Memory memory);

  base::Mutex mutex_;
  std::array<std::vector<Memory>, kKeptBlockBytesMax / kMemoryStepBytes + 1> free_
      ABSL_GUARDED_BY(mutex_);  // by size in steps
  size_t free_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::network
