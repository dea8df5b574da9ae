#include "common/state/table_cursor.h"

#include <bit>
#include <cstring>

#include "common/state/probe_key.h"
#include "common/state/table_nodes.h"
#include "common/state/tag_group.h"

namespace weir::state {

static constexpr uint32_t kAllTags = (1u << kTagGroup) - 1;

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

// Takes the entries of up to kTagGroup slots at a time, whose tags one comparison tells apart.
size_t TableCursor::Append(size_t count_max, TableRows* rows) {
  const bool is_fixed = layout_->key().kind == KeyFormat::Kind::kFixed8;
  const size_t begin = rows->size();
  rows->values.resize(begin + count_max);
  rows->groups.resize(begin + count_max);
  if (is_fixed) rows->fixed.resize(begin + count_max);
  const size_t slot_bytes = layout_->slot_bytes();
  const size_t key_bytes = layout_->key_bytes();
  size_t count = 0;
  while (count < count_max) {
    if (next_slot_ >= capacity_ && !NextChunk()) break;
    uint32_t used = TagGroup(chunk_->tags() + next_slot_).Match(kTagEmpty) ^ kAllTags;
    const uint32_t left = capacity_ - next_slot_;
    if (left < kTagGroup) used &= (1u << left) - 1;
    const std::byte* slots = chunk_->slot(*layout_, next_slot_);
    next_slot_ += kTagGroup;
    for (; used != 0; used &= used - 1) {
      const uint32_t index = static_cast<uint32_t>(std::countr_zero(used));
      if (count == count_max) {
        next_slot_ = next_slot_ - kTagGroup + index;
        break;
      }
      slot_ = slots + index * slot_bytes;
      rows->groups[begin + count] = group_;
      rows->values[begin + count] = slot_ + key_bytes;
      if (is_fixed) {
        std::memcpy(&rows->fixed[begin + count], slot_, sizeof(int64_t));
      } else {
        rows->keys.push_back(key());
      }
      ++count;
    }
  }
  rows->values.resize(begin + count);
  rows->groups.resize(begin + count);
  if (is_fixed) rows->fixed.resize(begin + count);
  return count;
}

}  // namespace weir::state
