// What a slot refers to outside its chunk: a long key, blobs. Internal to the table.
#pragma once

#include <algorithm>
#include <cstring>

#include "common/state/probe_key.h"
#include "common/state/table_layout.h"
#include "common/state/table_nodes.h"
#include "common/state/versioned_memory.h"

namespace weir::state {

inline Blob* BlobAt(const std::byte* value, uint32_t offset) {
  Blob* blob = nullptr;
  std::memcpy(&blob, value + offset, kReferenceBytes);
  return blob;
}
inline void SetBlobAt(std::byte* value, uint32_t offset, Blob* blob) {
  std::memcpy(value + offset, &blob, kReferenceBytes);
}

inline bool MayBeOutOfLine(const TableLayout& layout) {
  return layout.has_blobs() || layout.key().kind == KeyFormat::Kind::kBytes;
}

// Calls visit(block, bytes, born) for each; a key carries no version and is reported as born
// in the first one, so that any live snapshot keeps it.
template <class Visit>
void ForEachOutOfLine(const TableLayout& layout, const std::byte* slot, Visit visit) {
  if (layout.key().kind == KeyFormat::Kind::kBytes && IsOutOfLine(slot)) {
    const StringView key = KeyBytesOfSlot(slot, layout.key_bytes() / sizeof(uint64_t));
    visit(const_cast<char*>(key.data()), key.size(), kFirstVersion);
  }
  for (const uint32_t offset : layout.value().blob_offsets) {
    Blob* blob = BlobAt(slot + layout.key_bytes(), offset);
    if (blob != nullptr) visit(blob, blob->block_bytes(), blob->version);
  }
}

// Calls visit(slot) for each occupied slot of a chunk.
template <class Visit>
void ForEachSlot(const TableLayout& layout, Chunk* chunk, Visit visit) {
  const uint32_t capacity = layout.chunk_class(chunk->chunk_class).capacity;
  for (uint32_t i = 0; i < capacity; ++i) {
    if (chunk->tags()[i] != kTagEmpty) visit(chunk->slot(layout, i));
  }
}

}  // namespace weir::state
