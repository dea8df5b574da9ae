#include "common/state/table_cursor.h"

#include <cstring>

#include "common/state/probe_key.h"
#include "common/state/table_nodes.h"

namespace weir::state {

void TableRows::Clear() {
  groups.clear();
  fixed.clear();
  keys.clear();
  values.clear();
}

TableCursor::TableCursor(const RootNode* root, const TableLayout& layout, KeyGroupRange owned,
                         KeyGroupRange wanted)
    : root_(root),
      layout_(&layout),
      owned_(owned),
      wanted_(owned.Intersection(wanted)),
      group_(wanted_.first) {
}

bool TableCursor::Next() {
  while (true) {
    for (; next_slot_ < capacity_; ++next_slot_) {
      if (chunk_->tags()[next_slot_] == kTagEmpty) continue;
      slot_ = chunk_->slot(*layout_, next_slot_);
      ++next_slot_;
      return true;
    }
    if (!NextChunk()) return false;
  }
}

bool TableCursor::NextChunk() {
  for (; wanted_.Contains(group_); ++group_, entry_ = 0) {
    const GroupNode* group = root_->groups()[group_ - owned_.first];
    if (group == nullptr || entry_ == group->entry_count()) continue;
    chunk_ = group->entry(entry_).chunk();
    entry_ += size_t{1} << (group->depth - chunk_->depth);
    capacity_ = layout_->chunk_class(chunk_->chunk_class).capacity;
    next_slot_ = 0;
    return true;
  }
  chunk_ = nullptr;
  capacity_ = 0;
  next_slot_ = 0;
  return false;
}

StringView TableCursor::key() const {
  return KeyBytesOfSlot(slot_, layout_->key_bytes() / sizeof(uint64_t));
}

const std::byte* TableCursor::value() const {
  return slot_ + layout_->key_bytes();
}

size_t TableCursor::Append(size_t count_max, TableRows* rows) {
  const bool is_fixed = layout_->key().kind == KeyFormat::Kind::kFixed8;
  size_t count = 0;
  for (; count < count_max && Next(); ++count) {
    rows->groups.push_back(group_);
    rows->values.push_back(value());
    if (is_fixed) {
      int64_t key_value = 0;
      std::memcpy(&key_value, slot_, sizeof(key_value));
      rows->fixed.push_back(key_value);
    } else {
      rows->keys.push_back(key());
    }
  }
  return count;
}

}  // namespace weir::state
