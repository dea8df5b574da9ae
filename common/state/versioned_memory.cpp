#include "common/state/versioned_memory.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/mutex.h"

namespace weir::state {

// Blocks fetched ahead of being freed.
static constexpr size_t kFreeAhead = 8;

// The versions released since the owner last looked.
class VersionedMemory::ReleaseQueue {
 public:
  void Push(uint64_t version) {
    base::MutexLock lock(mutex_);
    versions_.push_back(version);
    // Only a hint that it is worth taking the lock, which orders everything else.
    has_versions_.store(true, std::memory_order_relaxed);
  }
  bool HasVersions() const { return has_versions_.load(std::memory_order_relaxed); }
  std::vector<uint64_t> Take() {
    base::MutexLock lock(mutex_);
    has_versions_.store(false, std::memory_order_relaxed);
    return std::exchange(versions_, {});
  }

 private:
  base::Mutex mutex_;
  std::vector<uint64_t> versions_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> has_versions_ = false;
};

SnapshotLease::SnapshotLease(std::shared_ptr<VersionedMemory> memory, uint64_t version)
    : memory_(std::move(memory)), version_(version) {
}

SnapshotLease::~SnapshotLease() {
  memory_->Release(version_);
}

VersionedMemory::VersionedMemory(std::shared_ptr<MemoryBudget> budget)
    : pool_(std::move(budget)), release_queue_(std::make_unique<ReleaseQueue>()) {
}

VersionedMemory::~VersionedMemory() = default;

std::shared_ptr<SnapshotLease> VersionedMemory::TakeSnapshot() {
  TakeReleased();
  live_.push_back({version_, {}, {}});
  frozen_ = version_;
  ++version_;
  return std::make_shared<SnapshotLease>(shared_from_this(), frozen_);
}

void VersionedMemory::Retire(std::unique_ptr<RetiredStructure> structure, uint64_t born) {
  if (Waiting* seer = NewestLive(born, version_)) {
    seer->structures.push_back({std::move(structure), born});
    return;
  }
  if (released_.empty()) released_.push_back({0, {}, {}});
  released_.back().structures.push_back({std::move(structure), version_});
}

void VersionedMemory::Release(uint64_t version) {
  release_queue_->Push(version);
}

bool VersionedMemory::HasReleased() const {
  return release_queue_->HasVersions();
}

void VersionedMemory::TakeReleased() {
  for (const uint64_t version : release_queue_->Take()) DropSnapshot(version);
}

void VersionedMemory::DropSnapshot(uint64_t version) {
  const auto dropped = std::find_if(live_.begin(), live_.end(),
                                    [version](const Waiting& w) { return w.version == version; });
  WEIR_CHECK(dropped != live_.end());
  released_.splice(released_.end(), live_, dropped);
  frozen_ = live_.empty() ? 0 : live_.back().version;
}

void VersionedMemory::RetireFrozen(const RetiredBlock& block) {
  WEIR_DCHECK(block.born >= kFirstVersion);
  live_.back().blocks.push_back(block);
}

void VersionedMemory::FreeReleased(size_t budget) {
  while (budget > 0 && !released_.empty()) {
    Waiting& oldest = released_.front();
    FreeBlocks(oldest, &budget);
    FreeStructures(oldest, &budget);
    if (oldest.blocks.empty() && oldest.structures.empty()) released_.pop_front();
  }
}

void VersionedMemory::FreeBlocks(Waiting& waiting, size_t* budget) {
  while (*budget > 0 && !waiting.blocks.empty()) {
    --*budget;
    const RetiredBlock block = waiting.blocks.back();
    waiting.blocks.pop_back();
    // Freeing writes into a block that is in no cache by now.
    const size_t left = waiting.blocks.size();
    if (left > kFreeAhead) __builtin_prefetch(waiting.blocks[left - kFreeAhead].block, 1);
    if (Waiting* seer = NewestLive(block.born, waiting.version)) {
      seer->blocks.push_back(block);
    } else {
      pool_.Free(block.block, block.bytes);
    }
  }
}

void VersionedMemory::FreeStructures(Waiting& waiting, size_t* budget) {
  while (*budget > 0 && !waiting.structures.empty()) {
    BornStructure& last = waiting.structures.back();
    if (Waiting* seer = NewestLive(last.born, waiting.version)) {
      seer->structures.push_back(std::move(last));
    } else if (!last.structure->FreeSome(pool_, budget)) {
      return;
    }
    waiting.structures.pop_back();
  }
}

VersionedMemory::Waiting* VersionedMemory::NewestLive(uint64_t born, uint64_t below) {
  for (auto live = live_.rbegin(); live != live_.rend(); ++live) {
    if (live->version < born) return nullptr;
    if (live->version < below) return &*live;
  }
  return nullptr;
}

size_t VersionedMemory::waiting_block_count() const {
  size_t count = 0;
  for (const Waiting& waiting : live_) count += waiting.blocks.size();
  for (const Waiting& waiting : released_) count += waiting.blocks.size();
  return count;
}

}  // namespace weir::state
