// TableProber: finds and inserts the keys of a batch, a group of rows at a time: first all paths
// and prefetches, then all probes, so that the misses of a group overlap. Internal to the table.
#pragma once

#include <bit>
#include <cstring>

#include "common/base/check.h"
#include "common/state/out_of_line.h"
#include "common/state/probe_key.h"
#include "common/state/state_table.h"
#include "common/state/table_nodes.h"
#include "common/state/table_paths.h"
#include "common/state/tag_group.h"

namespace weir::state {

// Rows whose memory is fetched together: enough to fill the line buffers, few enough for L1.
inline constexpr size_t kProbeGroup = 32;

// Life:      one call of the table.
// Invariant: pointers stored in a result lie in the chunks the current root refers to.
template <size_t kKeyWords>
class TableProber {
 public:
  using Key = ProbeKey<kKeyWords>;
  using ProbeRows = StateTable::ProbeRows;

  explicit TableProber(StateTable& table)
      : table_(table),
        layout_(table.layout()),
        slot_bytes_(layout_.slot_bytes()),
        chunks_(table.probed_chunks_) {}

  absl::Status InsertAll(const ProbeRows& rows, types::PodVector<std::byte*>* values,
                         types::PodVector<uint8_t>* inserted);
  absl::Status FindAll(const ProbeRows& rows, types::PodVector<const std::byte*>* values);

  // One key; `index` is its key group's in the table.
  std::byte* Find(uint32_t index, StringView bytes) const;
  std::byte* FindOrInsert(uint32_t index, StringView bytes);
  bool Erase(uint32_t index, StringView bytes);

 private:
  // A row in hand and the chunk its key belongs to.
  struct Pending {
    Key key;
    uint32_t index;
    uint32_t chunk_class;
    Chunk* chunk;
    std::byte* value;  // once found
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  // The key group of a row: hash % max_parallelism, which most often is a power of two.
  class GroupOfRow {
   public:
    GroupOfRow(const ProbeRows& rows, uint32_t max_parallelism)
        : hashes_(rows.keys->partition_hash.data()),
          divisor_(max_parallelism),
          mask_(std::has_single_bit(max_parallelism) ? max_parallelism - 1 : 0),
          only_group_(rows.only_group) {}
    uint32_t operator()(size_t row) const {
      if (only_group_ != UINT32_MAX) return only_group_;
      const uint32_t mixed = MurmurOfHash(hashes_[row]);
      return mask_ != 0 ? mixed & mask_ : mixed % divisor_;
    }

   private:
    const uint32_t* const hashes_;
    const uint32_t divisor_;
    const uint32_t mask_;
    const uint32_t only_group_;
  };

  static void LoadKey(const ProbeRows& rows, size_t row, Key* key) {
    if constexpr (kKeyWords == 1) {
      key->LoadFixed(rows.keys->fixed[row]);
    } else {
      key->Load(rows.keys->Bytes(row));
    }
  }
  std::byte* HomeOf(const Pending& pending) const {
    const TableLayout::ChunkClass& shape = layout_.chunk_class(pending.chunk_class);
    const uint32_t home = HomeSlot(pending.key.hash, shape.capacity);
    return reinterpret_cast<std::byte*>(pending.chunk) + shape.slots_offset + home * slot_bytes_;
  }
  void PrefetchTags(const Pending& pending) const {
    const TableLayout::ChunkClass& shape = layout_.chunk_class(pending.chunk_class);
    const uint32_t home = HomeSlot(pending.key.hash, shape.capacity);
    __builtin_prefetch(reinterpret_cast<std::byte*>(pending.chunk) + kChunkHeaderBytes + home);
  }
  std::byte* ValueAt(Chunk* chunk, uint32_t chunk_class, uint32_t slot) const {
    return reinterpret_cast<std::byte*>(chunk) + layout_.chunk_class(chunk_class).slots_offset +
           slot * slot_bytes_ + kKeyWords * sizeof(uint64_t);
  }

  // Sets the chunk of pending.index and pending.key; false if the group is empty.
  bool Locate(Pending& pending) const;
  // Looks for the key of each row in hand where it most likely is; fetches more for the others.
  void FindNear();
  // The value if the key lies in its home slot or behind it on the same cache line, else null.
  std::byte* ValueNear(const Pending& pending) const;
  // The key's slot, or kNone and in `free` the slot it would take.
  uint32_t FindSlot(const Chunk* chunk, uint32_t chunk_class, const Key& key, uint32_t* free) const;
  void InsertMissing(const ProbeRows& rows, size_t first, types::PodVector<std::byte*>& values,
                     types::PodVector<uint8_t>& inserted);
  uint32_t Settle(Pending& pending, const ProbeRows& rows, size_t row_count,
                  types::PodVector<std::byte*>& values);
  std::byte* FindAgain(const ProbeRows& rows, size_t i);
  std::byte* InsertAt(Pending& pending, uint32_t free);

  StateTable& table_;
  const TableLayout& layout_;
  const size_t slot_bytes_;
  // While a batch is inserted: the rows in hand, and the chunk each row's value lies in (null: none
  // yet).
  Pending pending_[kProbeGroup];
  size_t pending_count_ = 0;
  types::PodVector<Chunk*>& chunks_;
};

}  // namespace weir::state
