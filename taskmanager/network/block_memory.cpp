#include "taskmanager/network/block_memory.h"

#include <cstring>
#include <utility>

namespace weir::network {

types::Buffer BlockMemory::Copy(StringView bytes) {
  if (bytes.size() < kMemoryStepBytes || bytes.size() > kKeptBlockBytesMax) {
    Memory memory((bytes.size() + sizeof(types::Int128) - 1) / sizeof(types::Int128));
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    auto owner = std::make_shared<const Memory>(std::move(memory));
    const void* data = owner->data();
    return types::Buffer(data, bytes.size(), std::move(owner));
  }
  const size_t steps = (bytes.size() + kMemoryStepBytes - 1) / kMemoryStepBytes;
  Memory memory = Take(steps);
  void* data = memory.data();
  std::memcpy(data, bytes.data(), bytes.size());
  std::shared_ptr<const void> owner(
      data, [self = shared_from_this(), steps, memory = std::move(memory)](const void*) mutable {
        self->Return(steps, std::move(memory));
      });
  return types::Buffer(data, bytes.size(), std::move(owner));
}

size_t BlockMemory::free_bytes() {
  base::MutexLock lock(mutex_);
  return free_bytes_;
}

BlockMemory::Memory BlockMemory::Take(size_t steps) {
  {
    base::MutexLock lock(mutex_);
    std::vector<Memory>& free = free_[steps];
    if (!free.empty()) {
      Memory memory = std::move(free.back());
      free.pop_back();
      free_bytes_ -= steps * kMemoryStepBytes;
      return memory;
    }
  }
  return Memory(steps * kMemoryStepBytes / sizeof(types::Int128));
}

void BlockMemory::Return(size_t steps, Memory memory) {
  base::MutexLock lock(mutex_);
  if (free_bytes_ + steps * kMemoryStepBytes > kFreeMemoryBytesMax) return;
  free_[steps].push_back(std::move(memory));
  free_bytes_ += steps * kMemoryStepBytes;
}

}  // namespace weir::network
