// The nodes of a state table's persistent tree, as they lie in memory. Internal to the table.
//
// A node or chunk may be changed in place while the version it was born in is above the newest live
// snapshot's (VersionedMemory::IsWritable). For chunks that question is answered without touching
// them: a directory entry carries an `owned` bit, meaningful while its directory is writable.
// Copying a directory clears the bits, since what the old one refers to is then shared with a
// snapshot.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/check.h"
#include "common/state/table_layout.h"

namespace weir::state {

// Entries of one directory node; a group with at most as many has them in its own node.
inline constexpr uint32_t kDirectoryBits = 9;
inline constexpr uint32_t kDirectoryEntries = 1u << kDirectoryBits;
// Bits of the hash that may choose a chunk; the home slot uses bits below them.
inline constexpr uint32_t kDepthMax = 24;

// What a node or value takes to refer to another: its address.
inline constexpr size_t kReferenceBytes = sizeof(void*);
static_assert(kReferenceBytes == sizeof(uint64_t));

inline constexpr size_t kLineBytes = 64;  // of the cache
inline constexpr size_t kChunkHeaderBytes = kLineBytes;
// A group of tags is read at once, so the first tags are repeated behind the last.
inline constexpr uint32_t kTagGroup = 16;
inline constexpr uint8_t kTagEmpty = 0;

struct Chunk {
  uint64_t version;
  uint32_t count;
  uint16_t depth;        // leading bits of the hash that all its keys share
  uint16_t chunk_class;  // index into TableLayout's classes

  uint8_t* tags() { return reinterpret_cast<uint8_t*>(this) + kChunkHeaderBytes; }
  const uint8_t* tags() const { return reinterpret_cast<const uint8_t*>(this) + kChunkHeaderBytes; }
  std::byte* slot(const TableLayout& layout, size_t index) {
    return reinterpret_cast<std::byte*>(this) + layout.chunk_class(chunk_class).slots_offset +
           index * layout.slot_bytes();
  }
  const std::byte* slot(const TableLayout& layout, size_t index) const {
    return const_cast<Chunk*>(this)->slot(layout, index);
  }
  // Keeps the repeated tags in step.
  void SetTag(uint32_t index, uint32_t capacity, uint8_t tag) {
    for (; index < capacity + kTagGroup - 1; index += capacity) tags()[index] = tag;
  }
};
static_assert(sizeof(Chunk) <= kChunkHeaderBytes);

// A chunk's address (64-byte aligned), its class and the owned bit in one word.
struct ChunkRef {
  uint64_t word = 0;

  static constexpr uint64_t kOwned = 1;
  static constexpr uint64_t kClassMask = 0x3e;
  static_assert(TableLayout::kClassCount <= 32);

  static ChunkRef Of(Chunk* chunk, uint32_t chunk_class) {
    const uint64_t address = reinterpret_cast<uint64_t>(chunk);
    WEIR_DCHECK(address % 64 == 0);
    return {address | (chunk_class << 1) | kOwned};
  }
  Chunk* chunk() const { return reinterpret_cast<Chunk*>(word & ~uint64_t{63}); }
  uint32_t chunk_class() const { return static_cast<uint32_t>((word & kClassMask) >> 1); }
  bool owned() const { return (word & kOwned) != 0; }
  ChunkRef Shared() const { return {word & ~kOwned}; }
};

struct DirectoryNode {
  uint64_t version = 0;
  ChunkRef refs[kDirectoryEntries];
};

// One key group: 2^depth directory entries, either here or in DirectoryNodes.
struct GroupNode {
  uint64_t version;
  uint64_t size;  // entries of the group
  uint32_t depth;
  uint32_t unused;

  bool is_flat() const { return depth <= kDirectoryBits; }
  size_t entry_count() const {
    WEIR_DCHECK(depth <= kDepthMax);
    return size_t{1} << depth;
  }
  size_t child_count() const {
    return is_flat() ? entry_count() : entry_count() / kDirectoryEntries;
  }
  size_t bytes() const { return BytesFor(depth); }
  static size_t BytesFor(uint32_t depth) {
    const uint32_t bits = depth <= kDirectoryBits ? depth : depth - kDirectoryBits;
    return sizeof(GroupNode) + (size_t{1} << bits) * sizeof(uint64_t);
  }
  ChunkRef* refs() { return reinterpret_cast<ChunkRef*>(this + 1); }               // if flat
  DirectoryNode** nodes() { return reinterpret_cast<DirectoryNode**>(this + 1); }  // otherwise
  const ChunkRef& entry(size_t index) const {
    GroupNode* self = const_cast<GroupNode*>(this);
    if (is_flat()) return self->refs()[index];
    return self->nodes()[index >> kDirectoryBits]->refs[index % kDirectoryEntries];
  }
};

struct RootNode {
  uint64_t version;
  uint64_t size;  // entries of the table
  uint32_t group_count;
  uint32_t unused;

  size_t bytes() const { return BytesFor(group_count); }
  static size_t BytesFor(uint32_t group_count) {
    return sizeof(RootNode) + group_count * kReferenceBytes;
  }
  GroupNode** groups() { return reinterpret_cast<GroupNode**>(this + 1); }
  GroupNode* const* groups() const { return reinterpret_cast<GroupNode* const*>(this + 1); }
};

// Namespace -> root, ascending, in one block.
struct NamespaceMapNode {
  struct Entry {
    int64_t name;
    RootNode* root;
  };
  uint64_t version;
  uint32_t count;
  uint32_t capacity;

  size_t bytes() const { return BytesFor(capacity); }
  static size_t BytesFor(size_t capacity) {
    return sizeof(NamespaceMapNode) + capacity * sizeof(Entry);
  }
  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
};

// An out-of-line field; the value holds its address, 0 if there is none.
struct Blob {
  uint64_t version;
  uint32_t size;
  uint32_t capacity;

  size_t block_bytes() const { return sizeof(Blob) + capacity; }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
};

// Where a key's chunk hangs in a directory of `depth` bits, and where in a chunk it looks first.
inline size_t DirectoryIndex(uint64_t hash, uint32_t depth) {
  return depth == 0 ? 0 : static_cast<size_t>(hash >> (64 - depth));
}
inline uint32_t HomeSlot(uint64_t hash, uint32_t capacity) {
  return static_cast<uint32_t>(((hash >> 8 & 0xffffffffu) * capacity) >> 32);
}
inline uint8_t TagOf(uint64_t hash) {
  const uint8_t low = static_cast<uint8_t>(hash);
  return static_cast<uint8_t>(low + (low == kTagEmpty ? 1 : 0));
}

}  // namespace weir::state
