#include "common/state/block_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <sys/mman.h>

#include "common/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define WEIR_POISON(place, bytes) ASAN_POISON_MEMORY_REGION(place, bytes)
#define WEIR_UNPOISON(place, bytes) ASAN_UNPOISON_MEMORY_REGION(place, bytes)
#else
#define WEIR_POISON(place, bytes) static_cast<void>(place)
#define WEIR_UNPOISON(place, bytes) static_cast<void>(place)
#endif

namespace weir::state {
namespace {

constexpr size_t kSmallStep = 16;
constexpr size_t kSmallBytesMax = 1024;
constexpr size_t kCacheLine = 64;

// Beyond the small sizes four classes per doubling, each 64 bytes more than a round number: blocks
// of 2^k bytes and a header line waste nothing, and their starts spread over the cache's sets.
struct SizeClass {
  size_t index;
  size_t bytes;
};

SizeClass ClassOf(size_t bytes) {
  if (bytes <= kSmallBytesMax) {
    const size_t steps = (bytes + kSmallStep - 1) / kSmallStep;
    return {steps - 1, steps * kSmallStep};
  }
  const size_t body = std::max(bytes - kCacheLine, kSmallBytesMax / 2 + 1);
  const size_t power = std::bit_width(body - 1) - 1;  // 2^power < body <= 2^(power + 1)
  const size_t step = size_t{1} << (power - 2);
  const size_t steps = (body - (size_t{1} << power) + step - 1) / step;  // 1..4
  const size_t first = kSmallBytesMax / kSmallStep;
  return {first + 4 * (power - 9) + steps - 1, kCacheLine + (size_t{1} << power) + steps * step};
}

}  // namespace

struct BlockPool::LargeBlock {
  LargeBlock* previous;
  LargeBlock* next;
};

BlockPool::~BlockPool() {
  Unreserve(bytes_reserved_);
  for (void* slab : slabs_) std::free(slab);
  while (large_ != nullptr) {
    LargeBlock* block = large_;
    large_ = block->next;
    std::free(block);
  }
}

void* BlockPool::Allocate(size_t bytes) {
  WEIR_DCHECK(bytes > 0);
  if (bytes > kPooledBytesMax) return AllocateLarge(bytes);
  const SizeClass size_class = ClassOf(bytes);
  bytes_in_use_ += size_class.bytes;
  FreeBlock*& head = free_[size_class.index];
  if (head == nullptr) return Carve(size_class.bytes);
  FreeBlock* block = head;
  WEIR_UNPOISON(block, size_class.bytes);
  head = block->next;
  return block;
}

void BlockPool::Free(void* block, size_t bytes) {
  if (bytes > kPooledBytesMax) {
    FreeLarge(block, bytes);
    return;
  }
  const SizeClass size_class = ClassOf(bytes);
  WEIR_DCHECK(bytes_in_use_ >= size_class.bytes);
  bytes_in_use_ -= size_class.bytes;
  FreeBlock* freed = static_cast<FreeBlock*>(block);
  freed->next = free_[size_class.index];
  free_[size_class.index] = freed;
  WEIR_POISON(block, size_class.bytes);
}

void* BlockPool::Carve(size_t bytes) {
  const size_t alignment = bytes % kCacheLine == 0 ? kCacheLine : kSmallStep;
  const size_t used = reinterpret_cast<uintptr_t>(next_) % alignment;
  const size_t gap = used == 0 ? 0 : alignment - used;
  if (static_cast<size_t>(end_ - next_) < gap + bytes) {
    AddSlab(bytes);
    return Carve(bytes);
  }
  std::byte* block = next_ + gap;
  next_ = block + bytes;
  WEIR_UNPOISON(block, bytes);
  return block;
}

void BlockPool::AddSlab(size_t bytes_wanted) {
  size_t bytes = std::clamp(std::bit_ceil(bytes_reserved_ + 1), kSlabBytesMin, kSlabBytesMax);
  bytes = std::max(bytes, std::bit_ceil(bytes_wanted + kCacheLine));
  const bool is_huge = bytes >= kHugePageBytes;
  void* slab = std::aligned_alloc(is_huge ? kHugePageBytes : kCacheLine, bytes);
  WEIR_CHECK(slab != nullptr);
  // Without huge pages the table is as correct, only slower: the result is not looked at.
  if (is_huge) madvise(slab, bytes, MADV_HUGEPAGE);
  WEIR_POISON(slab, bytes);
  slabs_.push_back(slab);
  next_ = static_cast<std::byte*>(slab);
  end_ = next_ + bytes;
  Reserve(bytes);
}

void BlockPool::Reserve(size_t bytes) {
  bytes_reserved_ += bytes;
  if (budget_ != nullptr) budget_->Take(bytes);
}

void BlockPool::Unreserve(size_t bytes) {
  bytes_reserved_ -= bytes;
  if (budget_ != nullptr) budget_->GiveBack(bytes);
}

void* BlockPool::AllocateLarge(size_t bytes) {
  const size_t whole = (bytes + 2 * kCacheLine - 1) / kCacheLine * kCacheLine;
  LargeBlock* block = static_cast<LargeBlock*>(std::aligned_alloc(kCacheLine, whole));
  WEIR_CHECK(block != nullptr);
  block->previous = nullptr;
  block->next = large_;
  if (large_ != nullptr) large_->previous = block;
  large_ = block;
  bytes_in_use_ += whole;
  Reserve(whole);
  return reinterpret_cast<std::byte*>(block) + kCacheLine;
}

void BlockPool::FreeLarge(void* block, size_t bytes) {
  const size_t whole = (bytes + 2 * kCacheLine - 1) / kCacheLine * kCacheLine;
  LargeBlock* large = reinterpret_cast<LargeBlock*>(static_cast<std::byte*>(block) - kCacheLine);
  (large->previous == nullptr ? large_ : large->previous->next) = large->next;
  if (large->next != nullptr) large->next->previous = large->previous;
  bytes_in_use_ -= whole;
  Unreserve(whole);
  std::free(large);
}

}  // namespace weir::state
