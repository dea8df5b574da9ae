// StateTable: the persistent copy-on-write hash table that keyed state lives in.
// root -> key-group node -> directory of chunks -> chunk of slots. A chunk doubles up to its full
// size and then splits by the next bit of the hash, so no operation pays for a table-wide rehash.
// A snapshot is a reference to the root and a version bump; the first change afterwards copies the
// path and the chunk. Operators work on it a batch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/state/key_group.h"
#include "common/state/table_cursor.h"
#include "common/state/table_layout.h"
#include "common/state/versioned_memory.h"
#include "common/types/buffer.h"
#include "common/types/key_codec.h"

namespace weir::state {

// Blocks freed per call that changes a table and per row of it, in pieces too small to be noticed,
// yet more than it can retire itself, so that nothing piles up however often snapshots are taken.
inline constexpr size_t kReclaimBlocksPerCall = 8;
inline constexpr size_t kReclaimBlocksPerRow = 2;
// Blocks freed when a namespace or all of a table is dropped.
inline constexpr size_t kReclaimBlocksPerDrop = 256;

struct ChunkRef;
struct DirectoryNode;
struct GroupNode;
class NamespacedTable;

// One key and the group it belongs to. A kFixed8 key is the 8 bytes of its int64.
struct TableKey {
  uint32_t group = 0;
  StringView bytes;

  static TableKey Of(const types::KeyBatch& keys, size_t row, uint32_t max_parallelism) {
    return {KeyGroupOfHash(keys.partition_hash[row], max_parallelism), keys.Bytes(row)};
  }
};

// Which keys a table holds, and how.
struct TableShape {
  KeyGroupRange range;
  uint32_t max_parallelism = 0;
  std::shared_ptr<const TableLayout> layout;
};

// The contents of a table at one version; they never change.
//
// Life:      outlives the table if need be; dropping it releases its memory to the table.
// Thread:    any one thread at a time, beside the owner of the table.
class TableSnapshot {
 public:
  TableSnapshot(TableShape shape, const RootNode* root, std::shared_ptr<const SnapshotLease> lease);

  uint64_t size() const;
  // Entries of one group; 0 for a group outside the range.
  uint64_t GroupSize(uint32_t group) const;
  TableCursor Read(KeyGroupRange groups) const;
  void ForEachInGroup(uint32_t group,
                      absl::FunctionRef<void(StringView key, const std::byte* value)> visit) const;
  const TableShape& shape() const { return shape_; }
  // Drops the contents early; the snapshot is empty afterwards. Repeated calls do nothing.
  void Release();

 private:
  TableShape shape_;
  const RootNode* root_;
  std::shared_ptr<const SnapshotLease> lease_;
};

// Life:      its memory lives on while a snapshot does.
// Thread:    confined to the task that owns the state; snapshots are read elsewhere.
// Invariant: size() is the number of keys; empty key groups have no node.
// Value pointers are good until the next call that may change the table or takes a snapshot.
class StateTable {
 public:
  // REQUIRES: a range within max_parallelism.
  StateTable(std::shared_ptr<VersionedMemory> memory, TableShape shape);
  ~StateTable();
  StateTable(const StateTable&) = delete;
  StateTable& operator=(const StateTable&) = delete;

  const TableShape& shape() const { return shape_; }
  const TableLayout& layout() const { return *shape_.layout; }
  VersionedMemory& memory() { return *memory_; }
  uint64_t size() const;
  // Groups begin with chunks as large as they need for `entries` spread evenly: a guess that saves
  // growing step by step.
  void Expect(uint64_t entries);
  // Memory of nodes, chunks and out-of-line bytes. Walks the chunks (and the slots if anything may
  // lie out of line); VersionedMemory::bytes_in_use() is the cheap sum over a backend.
  uint64_t ByteSize() const;

  // For each row its value, writable; a new key's value is zero and inserted[i] is 1.
  // INTERNAL: a key's group lies outside the range; rows before it may have been inserted.
  // REQUIRES: keys.is_fixed as the table's key format.
  absl::Status ProbeOrInsert(const types::KeyBatch& keys, types::PodVector<std::byte*>* values,
                             types::PodVector<uint8_t>* inserted);
  // The same for some rows, in the order of `rows`: values[i] belongs to keys row rows[i].
  absl::Status ProbeOrInsert(const types::KeyBatch& keys, std::span<const uint32_t> rows,
                             types::PodVector<std::byte*>* values,
                             types::PodVector<uint8_t>* inserted);
  // For each row its value, or null. INTERNAL: as above.
  absl::Status Probe(const types::KeyBatch& keys, types::PodVector<const std::byte*>* values) const;
  absl::Status Probe(const types::KeyBatch& keys, std::span<const uint32_t> rows,
                     types::PodVector<const std::byte*>* values) const;

  // The same for rows that all belong to `group`, whatever their partition_hash says.
  absl::Status ProbeOrInsertInGroup(uint32_t group, const types::KeyBatch& keys,
                                    types::PodVector<std::byte*>* values,
                                    types::PodVector<uint8_t>* inserted);

  // One key at a time. INTERNAL: as above.
  absl::StatusOr<const std::byte*> Find(TableKey key) const;  // null if absent
  absl::StatusOr<std::byte*> FindOrInsert(TableKey key);
  // Whether the key was there.
  absl::StatusOr<bool> Erase(TableKey key);
  // Drops all entries.
  void Clear();

  // Out-of-line fields; `field` indexes the layout's blob_offsets. A new entry has none.
  // The value pointer must come from ProbeOrInsert() or FindOrInsert() for the changing calls.
  bool HasBlob(const std::byte* value, size_t field) const;
  StringView GetBlob(const std::byte* value, size_t field) const;  // empty if there is none
  void SetBlob(std::byte* value, size_t field, StringView bytes);
  void ClearBlob(std::byte* value, size_t field);
  // The field's bytes for changing in place: `size` bytes, the first of which are the old ones,
  // the rest zero. Copies them at most once per live snapshot.
  std::span<std::byte> MutableBlob(std::byte* value, size_t field, size_t size);

  // Visits all entries in key-group order.
  // FAILED_PRECONDITION: the visitor changed which keys the table holds.
  absl::Status ForEach(
      absl::FunctionRef<void(uint32_t group, StringView key, const std::byte* value)> visit) const;
  // Reads in pieces. FAILED_PRECONDITION from AppendRows(): entries came or went, or a snapshot
  // was followed by a change, since `cursor` was made.
  struct ReadPosition {
    TableCursor cursor;
    uint64_t structure_changes = 0;
  };
  ReadPosition Read() const;
  absl::StatusOr<size_t> AppendRows(ReadPosition* position, size_t count_max,
                                    TableRows* rows) const;

  // O(1). The first form takes a lease of its own; the second joins one taken just before, so that
  // several tables are cut at one point.
  TableSnapshot Snapshot();
  TableSnapshot Snapshot(std::shared_ptr<const SnapshotLease> lease) const;

 private:
  // The rows of a batch to look at; all in order if `rows` is null.
  struct ProbeRows {
    const types::KeyBatch* keys = nullptr;
    const uint32_t* rows = nullptr;
    size_t count = 0;
    uint32_t only_group = UINT32_MAX;  // that all belong to; else it follows from the hash

    size_t row(size_t i) const { return rows == nullptr ? i : rows[i]; }
  };

  friend class NamespacedTable;
  template <size_t kKeyWords>
  friend class TableProber;

  absl::Status InsertRows(const ProbeRows& rows, types::PodVector<std::byte*>* values,
                          types::PodVector<uint8_t>* inserted);
  absl::Status FindRows(const ProbeRows& rows, types::PodVector<const std::byte*>* values) const;

  // The paths to what may be changed in place: each copies what a live snapshot still sees.
  RootNode* WritableRoot();
  GroupNode* WritableGroup(uint32_t index);  // made if there is none
  DirectoryNode* WritableDirectory(GroupNode* group, size_t entry);
  ChunkRef* WritableEntry(GroupNode* group, size_t entry);
  Chunk* WritableChunk(GroupNode* group, uint64_t hash, uint32_t* chunk_class);
  Chunk* OwnChunk(GroupNode* group, uint64_t hash, Chunk* chunk);
  GroupNode* CopyGroup(uint32_t index);

  // Changes of shape. REQUIRES: the path to the key's chunk is writable.
  void MakeRoom(uint32_t index, uint64_t hash);
  void GrowChunk(GroupNode* group, uint64_t hash, Chunk* chunk);
  void SplitChunk(GroupNode* group, uint64_t hash, Chunk* chunk);
  GroupNode* DoubleDirectory(uint32_t index);
  void SetEntries(GroupNode* group, uint64_t hash, uint32_t depth, ChunkRef ref);
  void RemoveGroup(uint32_t index);
  Chunk* NewChunk(uint32_t chunk_class, uint32_t depth);
  void RetireChunk(Chunk* chunk);

  void EraseSlot(Chunk* chunk, uint32_t index);
  void RetireOutOfLine(std::byte* slot);
  absl::Status OutsideRange(uint32_t group) const;

  const std::shared_ptr<VersionedMemory> memory_;
  const TableShape shape_;
  RootNode* root_;
  uint64_t born_;  // the version the present contents began in
  uint64_t structure_changes_ = 0;
  uint32_t first_class_ = 0;                // of a group's first chunk
  types::PodVector<Chunk*> probed_chunks_;  // scratch of a batch
  // Set for a table that is one namespace of many.
  NamespacedTable* parent_ = nullptr;
  int64_t namespace_ = 0;
};

}  // namespace weir::state
