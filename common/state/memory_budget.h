// MemoryBudget: how much memory the state of all backends of a process takes, and may take.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include <absl/status/status.h>

namespace weir::state {

// A soft limit: memory is given first and told of afterwards, so that whoever changes a table need
// not be ready to stop half-way. Owners look at it between batches, and are over by one batch at
// most.
//
// Thread: any.
class MemoryBudget {
 public:
  static constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

  explicit MemoryBudget(uint64_t limit_bytes) : limit_(limit_bytes) {}

  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

  // Relaxed: a counter, which orders nothing else.
  void Take(uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void GiveBack(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  bool IsExceeded() const { return used() > limit_; }
  // RESOURCE_EXHAUSTED: it is exceeded; says by how much and what to do.
  absl::Status Check() const;

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace weir::state
