// The hot paths of StateTable from a group to a chunk, inlined into the prober. Internal to the
// table.
#pragma once

#include "common/state/state_table.h"
#include "common/state/table_nodes.h"

namespace weir::state {

inline ChunkRef* StateTable::WritableEntry(GroupNode* group, size_t entry) {
  if (group->is_flat()) return &group->refs()[entry];
  DirectoryNode* node = group->nodes()[entry >> kDirectoryBits];
  if (!memory_->IsWritable(node->version)) [[unlikely]]
    node = WritableDirectory(group, entry);
  return &node->refs[entry % kDirectoryEntries];
}

inline Chunk* StateTable::WritableChunk(GroupNode* group, uint64_t hash, uint32_t* chunk_class) {
  const ChunkRef* ref = WritableEntry(group, DirectoryIndex(hash, group->depth));
  *chunk_class = ref->chunk_class();
  if (ref->owned()) [[likely]]
    return ref->chunk();
  return OwnChunk(group, hash, ref->chunk());
}

}  // namespace weir::state
