// BlockPool: memory in recycled blocks for state tables, cut from slabs that grow to huge pages.
// A freed block serves the next request of its size, because fresh pages cost far more than the
// copy they are wanted for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/state/memory_budget.h"

namespace weir::state {

// First slab of a pool; each further slab is as large as all before it together, up to the limit.
inline constexpr size_t kSlabBytesMin = 16 * 1024;
inline constexpr size_t kSlabBytesMax = 8 * 1024 * 1024;
// Slabs of at least this size ask for huge pages, and are whole ones.
inline constexpr size_t kHugePageBytes = 2 * 1024 * 1024;
static_assert(kSlabBytesMax % kHugePageBytes == 0, "large slabs are whole huge pages");
// Larger blocks come from the system one by one.
inline constexpr size_t kPooledBytesMax = 1024 * 1024;
static_assert(kPooledBytesMax + 64 <= kSlabBytesMax, "a pooled block fits a slab");

// Life:      blocks die with the pool, freed or not.
// Thread:    confined to the owner of the state.
// Invariant: bytes_in_use() is the sum over the live blocks, rounded up to their size classes.
class BlockPool {
 public:
  // What is taken from the system is told to `budget`; null: to nobody.
  explicit BlockPool(std::shared_ptr<MemoryBudget> budget = nullptr) : budget_(std::move(budget)) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Uninitialised; aligned to 16 bytes, and to 64 if `bytes` is a multiple of 64.
  // REQUIRES: bytes > 0.
  void* Allocate(size_t bytes);
  // REQUIRES: `block` came from Allocate(bytes) and was not freed since.
  void Free(void* block, size_t bytes);

  size_t bytes_in_use() const { return bytes_in_use_; }
  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct LargeBlock;
  static constexpr size_t kClassCount = 64 + 4 * 11;

  void* Carve(size_t bytes);
  void AddSlab(size_t bytes_wanted);
  void* AllocateLarge(size_t bytes);
  void FreeLarge(void* block, size_t bytes);
  void Reserve(size_t bytes);
  void Unreserve(size_t bytes);

  const std::shared_ptr<MemoryBudget> budget_;
  std::array<FreeBlock*, kClassCount> free_{};
  std::vector<void*> slabs_;
  LargeBlock* large_ = nullptr;  // a doubly linked list of the blocks beyond kPooledBytesMax
  std::byte* next_ = nullptr;    // rest of the newest slab
  std::byte* end_ = nullptr;
  size_t bytes_in_use_ = 0;
  size_t bytes_reserved_ = 0;
};

}  // namespace weir::state
