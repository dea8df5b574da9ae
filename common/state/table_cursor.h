// TableCursor: reads the entries of one version of a table in key-group order, a bounded number at
// a time, so that whoever emits them can stop between two batches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/string_view.h"
#include "common/state/key_group.h"
#include "common/state/table_layout.h"
#include "common/types/buffer.h"

namespace weir::state {

struct Chunk;
struct RootNode;

// Entries as parallel arrays. Pointers and views are good until the table changes (live table) or
// the snapshot is dropped.
struct TableRows {
  types::PodVector<uint32_t> groups;
  types::PodVector<int64_t> fixed;    // keys of KeyFormat::Kind::kFixed8
  types::PodVector<StringView> keys;  // keys of KeyFormat::Kind::kBytes
  types::PodVector<const std::byte*> values;

  size_t size() const { return values.size(); }
  void Clear();
};

// Walks the slots of the groups [first, last] of one root.
//
// Thread:    any one thread, while the root is frozen or its owner does not change it.
// Invariant: each entry is seen once; entries of a group are together, groups ascend.
class TableCursor {
 public:
  TableCursor(const RootNode* root, const TableLayout& layout, KeyGroupRange owned,
              KeyGroupRange wanted);

  // Moves to the next entry; false at the end. The accessors speak of that entry.
  bool Next();
  uint32_t group() const { return group_; }
  StringView key() const;
  const std::byte* value() const;
  const std::byte* slot() const { return slot_; }

  // Appends up to `count_max` entries; returns how many.
  size_t Append(size_t count_max, TableRows* rows);

 private:
  bool NextChunk();

  const RootNode* root_;
  const TableLayout* layout_;
  KeyGroupRange owned_;
  KeyGroupRange wanted_;
  uint32_t group_;
  size_t entry_ = 0;  // next directory entry of group_
  const Chunk* chunk_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t next_slot_ = 0;
  const std::byte* slot_ = nullptr;
};

}  // namespace weir::state
