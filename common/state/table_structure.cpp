// How a state table changes shape: copy on write, growing and splitting chunks, directories.
#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/state/namespaced_table.h"
#include "common/state/out_of_line.h"
#include "common/state/state_table.h"
#include "common/state/table_nodes.h"
#include "common/state/table_paths.h"

namespace weir::state {
namespace {

// A directory has at most one entry for this many keys: hashes that do not separate make a chunk
// grow instead, so that hostile keys cannot blow the directory up.
constexpr uint64_t kKeysPerEntryMin = 8;

uint64_t HashOfSlot(const TableLayout& layout, const std::byte* slot) {
  switch (layout.key_bytes()) {
    case 8:
      return ProbeKey<1>::HashOfSlot(slot);
    case 16:
      return ProbeKey<2>::HashOfSlot(slot);
    case 24:
      return ProbeKey<3>::HashOfSlot(slot);
    default:
      return ProbeKey<4>::HashOfSlot(slot);
  }
}

// Adds a copy of a slot whose key the chunk does not hold. REQUIRES: a free slot.
void AppendSlot(const TableLayout& layout, Chunk* chunk, const std::byte* slot, uint64_t hash) {
  const uint32_t capacity = layout.chunk_class(chunk->chunk_class).capacity;
  uint32_t index = HomeSlot(hash, capacity);
  while (chunk->tags()[index] != kTagEmpty) index = index + 1 == capacity ? 0 : index + 1;
  chunk->SetTag(index, capacity, TagOf(hash));
  std::memcpy(chunk->slot(layout, index), slot, layout.slot_bytes());
  ++chunk->count;
}

}  // namespace

void StateTable::Expect(uint64_t entries) {
  WEIR_CHECK(!shape_.range.IsEmpty());
  // Keys spread unevenly: with room for a quarter more most groups need not grow.
  const uint64_t per_group = (entries + entries / 4) / shape_.range.Size();
  first_class_ = 0;
  while (first_class_ < layout().full_class() &&
         layout().chunk_class(first_class_).count_max < per_group) {
    ++first_class_;
  }
}

RootNode* StateTable::WritableRoot() {
  if (memory_->IsWritable(root_->version)) [[likely]]
    return root_;
  RootNode* copy = static_cast<RootNode*>(memory_->Allocate(root_->bytes()));
  std::memcpy(copy, root_, root_->bytes());
  copy->version = memory_->version();
  memory_->Retire(root_, root_->bytes(), root_->version);
  root_ = copy;
  ++structure_changes_;
  if (parent_ != nullptr) parent_->ReplaceRoot(namespace_, root_);
  return root_;
}

GroupNode* StateTable::WritableGroup(uint32_t index) {
  GroupNode* group = root_->groups()[index];
  if (group != nullptr) return memory_->IsWritable(group->version) ? group : CopyGroup(index);
  group = static_cast<GroupNode*>(memory_->Allocate(GroupNode::BytesFor(0)));
  *group = {.version = memory_->version(), .size = 0, .depth = 0, .unused = 0};
  group->refs()[0] = ChunkRef::Of(NewChunk(first_class_, 0), first_class_);
  root_->groups()[index] = group;
  return group;
}

GroupNode* StateTable::CopyGroup(uint32_t index) {
  GroupNode* group = root_->groups()[index];
  GroupNode* copy = static_cast<GroupNode*>(memory_->Allocate(group->bytes()));
  std::memcpy(copy, group, group->bytes());
  copy->version = memory_->version();
  if (copy->is_flat()) {
    for (size_t i = 0; i < copy->entry_count(); ++i) copy->refs()[i] = copy->refs()[i].Shared();
  }
  memory_->Retire(group, group->bytes(), group->version);
  root_->groups()[index] = copy;
  ++structure_changes_;
  return copy;
}

DirectoryNode* StateTable::WritableDirectory(GroupNode* group, size_t entry) {
  DirectoryNode*& node = group->nodes()[entry >> kDirectoryBits];
  if (memory_->IsWritable(node->version)) return node;
  DirectoryNode* copy = static_cast<DirectoryNode*>(memory_->Allocate(sizeof(DirectoryNode)));
  copy->version = memory_->version();
  for (size_t i = 0; i < kDirectoryEntries; ++i) copy->refs[i] = node->refs[i].Shared();
  memory_->Retire(node, sizeof(DirectoryNode), node->version);
  node = copy;
  ++structure_changes_;
  return copy;
}

Chunk* StateTable::OwnChunk(GroupNode* group, uint64_t hash, Chunk* chunk) {
  const uint32_t chunk_class = chunk->chunk_class;
  if (memory_->IsWritable(chunk->version)) {
    SetEntries(group, hash, chunk->depth, ChunkRef::Of(chunk, chunk_class));
    return chunk;
  }
  const uint64_t bytes = layout().chunk_class(chunk_class).bytes;
  Chunk* copy = static_cast<Chunk*>(memory_->Allocate(bytes));
  std::memcpy(copy, chunk, bytes);
  copy->version = memory_->version();
  SetEntries(group, hash, copy->depth, ChunkRef::Of(copy, chunk_class));
  RetireChunk(chunk);
  ++structure_changes_;
  return copy;
}

void StateTable::MakeRoom(uint32_t index, uint64_t hash) {
  GroupNode* group = root_->groups()[index];
  Chunk* chunk = group->entry(DirectoryIndex(hash, group->depth)).chunk();
  WEIR_DCHECK(memory_->IsWritable(chunk->version));
  ++structure_changes_;
  const bool has_entry = chunk->depth < group->depth;
  const bool may_double =
      group->depth < kDepthMax && (uint64_t{2} << group->depth) * kKeysPerEntryMin <= group->size;
  if (chunk->chunk_class < layout().full_class() || (!has_entry && !may_double)) {
    GrowChunk(group, hash, chunk);
    return;
  }
  if (!has_entry) group = DoubleDirectory(index);
  SplitChunk(group, hash, chunk);
}

void StateTable::GrowChunk(GroupNode* group, uint64_t hash, Chunk* chunk) {
  const uint32_t chunk_class = chunk->chunk_class + 1u;
  WEIR_CHECK(chunk_class < TableLayout::kClassCount);
  Chunk* grown = NewChunk(chunk_class, chunk->depth);
  ForEachSlot(layout(), chunk, [&](const std::byte* slot) {
    AppendSlot(layout(), grown, slot, HashOfSlot(layout(), slot));
  });
  WEIR_CHECK(grown->count == chunk->count);
  SetEntries(group, hash, grown->depth, ChunkRef::Of(grown, chunk_class));
  RetireChunk(chunk);
}

void StateTable::SplitChunk(GroupNode* group, uint64_t hash, Chunk* chunk) {
  const uint32_t depth = chunk->depth + 1u;
  const uint32_t chunk_class = chunk->chunk_class;
  Chunk* halves[2] = {NewChunk(chunk_class, depth), NewChunk(chunk_class, depth)};
  ForEachSlot(layout(), chunk, [&](const std::byte* slot) {
    const uint64_t slot_hash = HashOfSlot(layout(), slot);
    AppendSlot(layout(), halves[slot_hash >> (64 - depth) & 1], slot, slot_hash);
  });
  WEIR_CHECK(halves[0]->count + halves[1]->count == chunk->count);
  const uint64_t bit = uint64_t{1} << (64 - depth);
  SetEntries(group, hash & ~bit, depth, ChunkRef::Of(halves[0], chunk_class));
  SetEntries(group, hash | bit, depth, ChunkRef::Of(halves[1], chunk_class));
  RetireChunk(chunk);
}

GroupNode* StateTable::DoubleDirectory(uint32_t index) {
  GroupNode* old = root_->groups()[index];
  const uint32_t depth = old->depth + 1;
  GroupNode* group = static_cast<GroupNode*>(memory_->Allocate(GroupNode::BytesFor(depth)));
  *group = {.version = memory_->version(), .size = old->size, .depth = depth, .unused = 0};
  if (!group->is_flat()) {
    for (size_t i = 0; i < group->child_count(); ++i) {
      DirectoryNode* node = static_cast<DirectoryNode*>(memory_->Allocate(sizeof(DirectoryNode)));
      node->version = memory_->version();
      group->nodes()[i] = node;
    }
  }
  for (size_t entry = 0; entry < old->entry_count(); ++entry) {
    ChunkRef ref = old->entry(entry);
    // What the old directory said of ownership counts only while it is writable itself.
    if (!old->is_flat() && !memory_->IsWritable(old->nodes()[entry >> kDirectoryBits]->version)) {
      ref = ref.Shared();
    }
    *WritableEntry(group, 2 * entry) = ref;
    *WritableEntry(group, 2 * entry + 1) = ref;
  }
  if (!old->is_flat()) {
    for (size_t i = 0; i < old->child_count(); ++i) {
      memory_->Retire(old->nodes()[i], sizeof(DirectoryNode), old->nodes()[i]->version);
    }
  }
  memory_->Retire(old, old->bytes(), old->version);
  root_->groups()[index] = group;
  return group;
}

void StateTable::SetEntries(GroupNode* group, uint64_t hash, uint32_t depth, ChunkRef ref) {
  const size_t count = size_t{1} << (group->depth - depth);
  const size_t first = DirectoryIndex(hash, depth) * count;
  for (size_t entry = first; entry < first + count; ++entry) *WritableEntry(group, entry) = ref;
}

void StateTable::RemoveGroup(uint32_t index) {
  GroupNode* group = root_->groups()[index];
  for (size_t entry = 0; entry < group->entry_count();) {
    Chunk* chunk = group->entry(entry).chunk();
    entry += size_t{1} << (group->depth - chunk->depth);
    WEIR_CHECK(chunk->count == 0);
    RetireChunk(chunk);
  }
  if (!group->is_flat()) {
    for (size_t i = 0; i < group->child_count(); ++i) {
      memory_->Retire(group->nodes()[i], sizeof(DirectoryNode), group->nodes()[i]->version);
    }
  }
  memory_->Retire(group, group->bytes(), group->version);
  root_->groups()[index] = nullptr;
}

Chunk* StateTable::NewChunk(uint32_t chunk_class, uint32_t depth) {
  const TableLayout::ChunkClass& made = layout().chunk_class(chunk_class);
  Chunk* chunk = static_cast<Chunk*>(memory_->Allocate(made.bytes));
  chunk->version = memory_->version();
  chunk->count = 0;
  chunk->depth = static_cast<uint16_t>(depth);
  chunk->chunk_class = static_cast<uint16_t>(chunk_class);
  std::memset(chunk->tags(), kTagEmpty, made.capacity + kTagGroup - 1);
  std::memset(chunk->slot(layout(), 0), kUnusedByte, made.capacity * layout().slot_bytes());
  return chunk;
}

void StateTable::RetireChunk(Chunk* chunk) {
  memory_->Retire(chunk, layout().chunk_class(chunk->chunk_class).bytes, chunk->version);
}

void StateTable::EraseSlot(Chunk* chunk, uint32_t index) {
  const uint32_t capacity = layout().chunk_class(chunk->chunk_class).capacity;
  RetireOutOfLine(chunk->slot(layout(), index));
  // Shifts back what would no longer be found across the hole, so that no tombstone is left.
  uint32_t hole = index;
  uint32_t next = hole;
  while (true) {
    next = next + 1 == capacity ? 0 : next + 1;
    if (chunk->tags()[next] == kTagEmpty) break;
    const std::byte* slot = chunk->slot(layout(), next);
    const uint32_t home = HomeSlot(HashOfSlot(layout(), slot), capacity);
    const uint32_t from_home = next >= home ? next - home : next + capacity - home;
    const uint32_t from_hole = next >= hole ? next - hole : next + capacity - hole;
    if (from_home < from_hole) continue;
    std::memcpy(chunk->slot(layout(), hole), slot, layout().slot_bytes());
    chunk->SetTag(hole, capacity, chunk->tags()[next]);
    hole = next;
  }
  chunk->SetTag(hole, capacity, kTagEmpty);
  std::memset(chunk->slot(layout(), hole), kUnusedByte, layout().key_bytes());
  WEIR_CHECK(chunk->count > 0);
  --chunk->count;
}

void StateTable::RetireOutOfLine(std::byte* slot) {
  ForEachOutOfLine(layout(), slot, [this](void* block, size_t bytes, uint64_t born) {
    memory_->Retire(block, bytes, born);
  });
}

}  // namespace weir::state
