// VersionedMemory: what makes a snapshot a version bump. Every block of a state table carries the
// version it was born in; a live snapshot freezes the versions up to its own, and a frozen block is
// copied before it changes. Replaced blocks wait, tagged [born, died), until no live snapshot lies
// in that span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>

#include "common/state/block_pool.h"

namespace weir::state {

class VersionedMemory;

inline constexpr uint64_t kFirstVersion = 1;

// Keeps one version alive, and the memory it lies in.
//
// Thread: any; several may be released at the same time while the owner goes on writing.
class SnapshotLease {
 public:
  SnapshotLease(std::shared_ptr<VersionedMemory> memory, uint64_t version);
  ~SnapshotLease();
  SnapshotLease(const SnapshotLease&) = delete;
  SnapshotLease& operator=(const SnapshotLease&) = delete;

  uint64_t version() const { return version_; }

 private:
  const std::shared_ptr<VersionedMemory> memory_;
  const uint64_t version_;
};

// A dead structure whose blocks are found by walking it, a bounded part at a time.
class RetiredStructure {
 public:
  virtual ~RetiredStructure() = default;
  // Frees blocks and lowers `budget` by their number, at least by one. True once all are freed.
  virtual bool FreeSome(BlockPool& pool, size_t* budget) = 0;
};

// Blocks, versions and live snapshots of the tables of one backend.
//
// Life:      shared by the tables and their snapshots: a snapshot outlives its table.
// Thread:    the owner's, but for Release(), which leases call from any thread.
// Invariant: frozen() < version(); no block born in a version above frozen() is seen by a snapshot.
class VersionedMemory : public std::enable_shared_from_this<VersionedMemory> {
 public:
  // Always owned by a shared_ptr. `budget`: see BlockPool.
  explicit VersionedMemory(std::shared_ptr<MemoryBudget> budget = nullptr);
  ~VersionedMemory();
  VersionedMemory(const VersionedMemory&) = delete;
  VersionedMemory& operator=(const VersionedMemory&) = delete;

  // The version that new blocks are born in.
  uint64_t version() const { return version_; }
  // The newest live snapshot's version; 0 if none lives.
  uint64_t frozen() const { return frozen_; }
  // Whether a block born in `born` may be changed in place.
  bool IsWritable(uint64_t born) const { return born > frozen_; }

  void* Allocate(size_t bytes) { return pool_.Allocate(bytes); }
  // Gives back a block that the current version no longer refers to: at once if no live snapshot
  // sees it, else when the last such snapshot is released.
  void Retire(void* block, size_t bytes, uint64_t born) {
    if (born > frozen_) {
      pool_.Free(block, bytes);
    } else {
      RetireFrozen({block, bytes, born});
    }
  }
  void Retire(std::unique_ptr<RetiredStructure> structure, uint64_t born);

  // Freezes the current version: O(1).
  std::shared_ptr<SnapshotLease> TakeSnapshot();

  // Takes in what other threads released and frees up to `budget` waiting blocks.
  // Call it at the start of every change, so that the work is spread.
  void Reclaim(size_t budget) {
    if (HasReleased()) TakeReleased();
    if (!released_.empty()) FreeReleased(budget);
  }

  size_t live_snapshot_count() const { return live_.size(); }
  size_t waiting_block_count() const;
  // Memory of live and waiting blocks, and what was taken from the system for it.
  size_t bytes_in_use() const { return pool_.bytes_in_use(); }
  size_t bytes_reserved() const { return pool_.bytes_reserved(); }

 private:
  friend class SnapshotLease;
  class ReleaseQueue;

  struct RetiredBlock {
    void* block;
    size_t bytes;
    uint64_t born;
  };
  struct BornStructure {
    std::unique_ptr<RetiredStructure> structure;
    uint64_t born;
  };
  // A snapshot and what died after it that it, but no later one, still sees.
  struct Waiting {
    uint64_t version;
    std::deque<RetiredBlock> blocks;
    std::deque<BornStructure> structures;
  };

  void Release(uint64_t version);  // any thread
  void RetireFrozen(const RetiredBlock& block);
  bool HasReleased() const;
  void TakeReleased();
  void FreeReleased(size_t budget);
  void DropSnapshot(uint64_t version);
  void FreeBlocks(Waiting& waiting, size_t* budget);
  void FreeStructures(Waiting& waiting, size_t* budget);
  // The newest live snapshot in [born, below), or null.
  Waiting* NewestLive(uint64_t born, uint64_t below);

  BlockPool pool_;
  uint64_t version_ = kFirstVersion;
  uint64_t frozen_ = 0;
  std::list<Waiting> live_;      // ascending by version
  std::list<Waiting> released_;  // of snapshots that are gone; not yet freed or moved on
  std::unique_ptr<ReleaseQueue> release_queue_;
};

}  // namespace weir::state
