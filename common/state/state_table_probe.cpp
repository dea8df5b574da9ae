// The probing half of StateTable: batches and single keys.
#include <numeric>

#include "common/state/namespaced_table.h"
#include "common/state/table_prober.h"

namespace weir::state {

template <size_t kKeyWords>
uint32_t TableProber<kKeyWords>::FindSlot(const Chunk* chunk, uint32_t chunk_class, const Key& key,
                                          uint32_t* free) const {
  const TableLayout::ChunkClass& shape = layout_.chunk_class(chunk_class);
  const std::byte* slots = reinterpret_cast<const std::byte*>(chunk) + shape.slots_offset;
  const uint8_t tag = TagOf(key.hash);
  uint32_t position = HomeSlot(key.hash, shape.capacity);
  while (true) {
    const TagGroup tags(chunk->tags() + position);
    for (uint32_t found = tags.Match(tag); found != 0; found &= found - 1) {
      uint32_t slot = position + static_cast<uint32_t>(std::countr_zero(found));
      while (slot >= shape.capacity) slot -= shape.capacity;
      if (key.Equals(slots + slot * slot_bytes_)) [[likely]]
        return slot;
    }
    if (const uint32_t empty = tags.Match(kTagEmpty); empty != 0) {
      uint32_t slot = position + static_cast<uint32_t>(std::countr_zero(empty));
      while (slot >= shape.capacity) slot -= shape.capacity;
      *free = slot;
      return kNone;
    }
    position += kTagGroup;
    while (position >= shape.capacity) position -= shape.capacity;
  }
}

template <size_t kKeyWords>
std::byte* TableProber<kKeyWords>::ValueNear(const Pending& pending) const {
  if (kKeyWords == 1 && pending.key.LooksUnused()) [[unlikely]]
    return nullptr;
  const TableLayout::ChunkClass& shape = layout_.chunk_class(pending.chunk_class);
  std::byte* const slots = reinterpret_cast<std::byte*>(pending.chunk) + shape.slots_offset;
  const std::byte* const end = slots + shape.capacity * slot_bytes_;
  std::byte* slot = slots + HomeSlot(pending.key.hash, shape.capacity) * slot_bytes_;
  const uintptr_t line = reinterpret_cast<uintptr_t>(slot) / kLineBytes;
  do {
    if (pending.key.Equals(slot)) return slot + kKeyWords * sizeof(uint64_t);
    slot += slot_bytes_;
  } while (slot < end && reinterpret_cast<uintptr_t>(slot) / kLineBytes == line);
  return nullptr;
}

template <size_t kKeyWords>
void TableProber<kKeyWords>::FindNear() {
  for (size_t i = 0; i < pending_count_; ++i) {
    Pending& pending = pending_[i];
    pending.value = pending.chunk == nullptr ? nullptr : ValueNear(pending);
    if (pending.value == nullptr && pending.chunk != nullptr) {
      PrefetchTags(pending);
      __builtin_prefetch(HomeOf(pending) + kLineBytes, 1);
    }
  }
}

template <size_t kKeyWords>
absl::Status TableProber<kKeyWords>::InsertAll(const ProbeRows& rows,
                                               types::PodVector<std::byte*>* values,
                                               types::PodVector<uint8_t>* inserted) {
  const GroupOfRow group_of(rows, table_.shape_.max_parallelism);
  const KeyGroupRange range = table_.shape_.range;
  values->resize(rows.count);
  inserted->resize(rows.count);
  chunks_.resize(rows.count);
  table_.WritableRoot();
  for (size_t first = 0; first < rows.count; first += kProbeGroup) {
    pending_count_ = std::min(kProbeGroup, rows.count - first);
    for (size_t i = 0; i < pending_count_; ++i) {
      Pending& pending = pending_[i];
      const size_t row = rows.row(first + i);
      const uint32_t group = group_of(row);
      if (!range.Contains(group)) [[unlikely]]
        return table_.OutsideRange(group);
      LoadKey(rows, row, &pending.key);
      pending.index = group - range.first;
      GroupNode* node = table_.WritableGroup(pending.index);
      pending.chunk = table_.WritableChunk(node, pending.key.hash, &pending.chunk_class);
      __builtin_prefetch(HomeOf(pending), 1);
    }
    FindNear();
    for (size_t i = 0; i < pending_count_; ++i) {
      (*values)[first + i] = pending_[i].value;
      (*inserted)[first + i] = 0;
      chunks_[first + i] = pending_[i].value == nullptr ? nullptr : pending_[i].chunk;
    }
    InsertMissing(rows, first, *values, *inserted);
  }
  return absl::OkStatus();
}

// The rows in hand that were not found near their home.
template <size_t kKeyWords>
void TableProber<kKeyWords>::InsertMissing(const ProbeRows& rows, size_t first,
                                           types::PodVector<std::byte*>& values,
                                           types::PodVector<uint8_t>& inserted) {
  for (size_t i = 0; i < pending_count_; ++i) {
    Pending& pending = pending_[i];
    if (pending.value != nullptr) continue;
    uint32_t free = 0;
    const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
    if (slot != kNone) {
      values[first + i] = ValueAt(pending.chunk, pending.chunk_class, slot);
    } else {
      if (pending.chunk->count == layout_.chunk_class(pending.chunk_class).count_max) {
        free = Settle(pending, rows, first + pending_count_, values);
      }
      values[first + i] = InsertAt(pending, free);
      inserted[first + i] = 1;
    }
    chunks_[first + i] = pending.chunk;
  }
}

// Makes room for a key that is not there. The chunk moves, and with it the rows that point into it.
template <size_t kKeyWords>
uint32_t TableProber<kKeyWords>::Settle(Pending& pending, const ProbeRows& rows, size_t row_count,
                                        types::PodVector<std::byte*>& values) {
  while (pending.chunk->count == layout_.chunk_class(pending.chunk_class).count_max) {
    const Chunk* moved = pending.chunk;
    table_.MakeRoom(pending.index, pending.key.hash);
    for (size_t i = 0; i < pending_count_; ++i) {
      if (pending_[i].chunk == moved) Locate(pending_[i]);
    }
    for (size_t i = 0; i < row_count; ++i) {
      if (chunks_[i] == moved) values[i] = FindAgain(rows, i);
    }
  }
  uint32_t free = 0;
  const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
  WEIR_DCHECK(slot == kNone);
  return free;
}

// The value of a row whose chunk has moved.
template <size_t kKeyWords>
std::byte* TableProber<kKeyWords>::FindAgain(const ProbeRows& rows, size_t i) {
  const size_t row = rows.row(i);
  Pending moved{};
  LoadKey(rows, row, &moved.key);
  const GroupOfRow group_of(rows, table_.shape_.max_parallelism);
  moved.index = group_of(row) - table_.shape_.range.first;
  const bool is_there = Locate(moved);
  WEIR_CHECK(is_there);
  uint32_t free = 0;
  const uint32_t slot = FindSlot(moved.chunk, moved.chunk_class, moved.key, &free);
  WEIR_CHECK(slot != kNone);
  chunks_[i] = moved.chunk;
  return ValueAt(moved.chunk, moved.chunk_class, slot);
}

template <size_t kKeyWords>
bool TableProber<kKeyWords>::Locate(Pending& pending) const {
  const GroupNode* group = table_.root_->groups()[pending.index];
  if (group == nullptr) return false;
  const ChunkRef ref = group->entry(DirectoryIndex(pending.key.hash, group->depth));
  pending.chunk = ref.chunk();
  pending.chunk_class = ref.chunk_class();
  return true;
}

// Fills a free slot of a writable chunk with room; returns the value, all zero.
template <size_t kKeyWords>
std::byte* TableProber<kKeyWords>::InsertAt(Pending& pending, uint32_t free) {
  Chunk* chunk = pending.chunk;
  std::byte* value = ValueAt(chunk, pending.chunk_class, free);
  std::byte* slot = value - kKeyWords * sizeof(uint64_t);
  std::memcpy(slot, pending.key.words, sizeof(pending.key.words));
  std::memset(value, 0, layout_.value().bytes);
  if constexpr (kKeyWords > 1) {
    if (IsOutOfLine(slot)) {
      OutOfLineKey key{};
      std::memcpy(&key, slot, sizeof(key));
      char* bytes = static_cast<char*>(table_.memory_->Allocate(key.size));
      std::memcpy(bytes, key.bytes, key.size);
      key.bytes = bytes;
      std::memcpy(slot, &key, sizeof(key));
    }
  }
  const uint32_t capacity = layout_.chunk_class(pending.chunk_class).capacity;
  chunk->SetTag(free, capacity, TagOf(pending.key.hash));
  ++chunk->count;
  ++table_.root_->groups()[pending.index]->size;
  ++table_.root_->size;
  ++table_.structure_changes_;
  return value;
}

template <size_t kKeyWords>
absl::Status TableProber<kKeyWords>::FindAll(const ProbeRows& rows,
                                             types::PodVector<const std::byte*>* values) {
  const GroupOfRow group_of(rows, table_.shape_.max_parallelism);
  const KeyGroupRange range = table_.shape_.range;
  values->resize(rows.count);
  for (size_t first = 0; first < rows.count; first += kProbeGroup) {
    pending_count_ = std::min(kProbeGroup, rows.count - first);
    for (size_t i = 0; i < pending_count_; ++i) {
      Pending& pending = pending_[i];
      const size_t row = rows.row(first + i);
      const uint32_t group = group_of(row);
      if (!range.Contains(group)) [[unlikely]]
        return table_.OutsideRange(group);
      LoadKey(rows, row, &pending.key);
      pending.index = group - range.first;
      pending.chunk = nullptr;
      if (Locate(pending)) __builtin_prefetch(HomeOf(pending));
    }
    FindNear();
    for (size_t i = 0; i < pending_count_; ++i) {
      const Pending& pending = pending_[i];
      (*values)[first + i] = pending.value;
      if (pending.value != nullptr || pending.chunk == nullptr) continue;
      uint32_t free = 0;
      const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
      if (slot == kNone) continue;
      (*values)[first + i] = ValueAt(pending.chunk, pending.chunk_class, slot);
    }
  }
  return absl::OkStatus();
}

template <size_t kKeyWords>
std::byte* TableProber<kKeyWords>::Find(uint32_t index, StringView bytes) const {
  Pending pending{};
  pending.key.Load(bytes);
  pending.index = index;
  if (!Locate(pending)) return nullptr;
  uint32_t free = 0;
  const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
  return slot == kNone ? nullptr : ValueAt(pending.chunk, pending.chunk_class, slot);
}

template <size_t kKeyWords>
std::byte* TableProber<kKeyWords>::FindOrInsert(uint32_t index, StringView bytes) {
  Pending pending{};
  pending.key.Load(bytes);
  pending.index = index;
  table_.WritableRoot();
  pending.chunk =
      table_.WritableChunk(table_.WritableGroup(index), pending.key.hash, &pending.chunk_class);
  uint32_t free = 0;
  const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
  if (slot != kNone) return ValueAt(pending.chunk, pending.chunk_class, slot);
  while (pending.chunk->count == layout_.chunk_class(pending.chunk_class).count_max) {
    table_.MakeRoom(index, pending.key.hash);
    Locate(pending);
    FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
  }
  return InsertAt(pending, free);
}

template <size_t kKeyWords>
bool TableProber<kKeyWords>::Erase(uint32_t index, StringView bytes) {
  if (Find(index, bytes) == nullptr) return false;
  Pending pending{};
  pending.key.Load(bytes);
  RootNode* root = table_.WritableRoot();
  GroupNode* group = table_.WritableGroup(index);
  pending.chunk = table_.WritableChunk(group, pending.key.hash, &pending.chunk_class);
  uint32_t free = 0;
  const uint32_t slot = FindSlot(pending.chunk, pending.chunk_class, pending.key, &free);
  WEIR_CHECK(slot != kNone);
  table_.EraseSlot(pending.chunk, slot);
  --group->size;
  --root->size;
  ++table_.structure_changes_;
  if (group->size == 0) table_.RemoveGroup(index);
  return true;
}

namespace {

// Calls call(prober) with the prober for the table's key width.
template <class Call>
auto WithProber(StateTable& table, Call call) {
  switch (table.layout().key_bytes()) {
    case 8:
      return call(TableProber<1>(table));
    case 16:
      return call(TableProber<2>(table));
    case 24:
      return call(TableProber<3>(table));
    default:
      return call(TableProber<4>(table));
  }
}

void CheckFormat(const StateTable& table, const types::KeyBatch& keys) {
  WEIR_CHECK(keys.is_fixed == (table.layout().key().kind == KeyFormat::Kind::kFixed8));
}

}  // namespace

absl::Status StateTable::ProbeOrInsert(const types::KeyBatch& keys,
                                       types::PodVector<std::byte*>* values,
                                       types::PodVector<uint8_t>* inserted) {
  return InsertRows({&keys, nullptr, keys.size()}, values, inserted);
}

absl::Status StateTable::ProbeOrInsert(const types::KeyBatch& keys, std::span<const uint32_t> rows,
                                       types::PodVector<std::byte*>* values,
                                       types::PodVector<uint8_t>* inserted) {
  return InsertRows({&keys, rows.data(), rows.size()}, values, inserted);
}

absl::Status StateTable::ProbeOrInsertInGroup(uint32_t group, const types::KeyBatch& keys,
                                              types::PodVector<std::byte*>* values,
                                              types::PodVector<uint8_t>* inserted) {
  return InsertRows({&keys, nullptr, keys.size(), group}, values, inserted);
}

absl::Status StateTable::InsertRows(const ProbeRows& rows, types::PodVector<std::byte*>* values,
                                    types::PodVector<uint8_t>* inserted) {
  CheckFormat(*this, *rows.keys);
  memory_->Reclaim(kReclaimBlocksPerCall + kReclaimBlocksPerRow * rows.count);
  return WithProber(*this, [&](auto prober) { return prober.InsertAll(rows, values, inserted); });
}

absl::Status StateTable::Probe(const types::KeyBatch& keys,
                               types::PodVector<const std::byte*>* values) const {
  return FindRows({&keys, nullptr, keys.size()}, values);
}

absl::Status StateTable::Probe(const types::KeyBatch& keys, std::span<const uint32_t> rows,
                               types::PodVector<const std::byte*>* values) const {
  return FindRows({&keys, rows.data(), rows.size()}, values);
}

absl::Status StateTable::FindRows(const ProbeRows& rows,
                                  types::PodVector<const std::byte*>* values) const {
  CheckFormat(*this, *rows.keys);
  // The prober is shared with the changing calls; finding changes nothing.
  StateTable& table = const_cast<StateTable&>(*this);
  return WithProber(table, [&](auto prober) { return prober.FindAll(rows, values); });
}

absl::StatusOr<const std::byte*> StateTable::Find(TableKey key) const {
  if (!shape_.range.Contains(key.group)) return OutsideRange(key.group);
  const uint32_t index = key.group - shape_.range.first;
  StateTable& table = const_cast<StateTable&>(*this);  // as above
  return WithProber(table,
                    [&](auto prober) -> const std::byte* { return prober.Find(index, key.bytes); });
}

absl::StatusOr<std::byte*> StateTable::FindOrInsert(TableKey key) {
  if (!shape_.range.Contains(key.group)) return OutsideRange(key.group);
  memory_->Reclaim(kReclaimBlocksPerCall);
  const uint32_t index = key.group - shape_.range.first;
  return WithProber(*this, [&](auto prober) { return prober.FindOrInsert(index, key.bytes); });
}

absl::StatusOr<bool> StateTable::Erase(TableKey key) {
  if (!shape_.range.Contains(key.group)) return OutsideRange(key.group);
  memory_->Reclaim(kReclaimBlocksPerCall);
  const uint32_t index = key.group - shape_.range.first;
  return WithProber(*this, [&](auto prober) { return prober.Erase(index, key.bytes); });
}

}  // namespace weir::state
