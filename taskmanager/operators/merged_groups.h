// MergedGroups: the accumulators of a window that is merged from slices, side by side. While a key
// is in the window it has a number, by which its accumulator is found without a probe.
// Lives outside any state: what is in it is never stored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/types/span.h>

#include "common/state/state_table.h"
#include "common/types/key_codec.h"
#include "taskmanager/operators/aggregate_kernel.h"

namespace weir::operators {

// An empty table in memory of its own, with a single key group, to which all keys belong.
std::unique_ptr<state::StateTable> NewScratchTable(state::KeyFormat key, uint32_t value_bytes);

// Thread:    confined to the task.
// Invariant: a key has one number, below number_count(), from FindOrAdd() until the slices that had
//            it are all taken away; no other key has the same one meanwhile.
class MergedGroups {
 public:
  MergedGroups(bool is_key_fixed, uint32_t accumulator_bytes);

  // For each key its number; a new one's accumulator is all zeros.
  // REQUIRES: keys.is_fixed as given.
  absl::Status FindOrAdd(const types::KeyBatch& keys, types::PodVector<uint32_t>* numbers);
  // The accumulators, which stay where they are.
  void Locate(absl::Span<const uint32_t> numbers, types::PodVector<Accumulator>* accumulators);

  // One more slice has these keys, which are distinct.
  void AddSlice(absl::Span<const uint32_t> numbers);
  // One slice with these keys, which are distinct, is taken away; keys that no other slice has go.
  absl::Status RemoveSlice(absl::Span<const uint32_t> numbers);
  void Clear();

  // Appends up to `count_max` groups from number `*next` on and moves `*next` behind them; returns
  // how many. They are good until the next change. REQUIRES: AddSlice() was called for all.
  size_t Append(size_t count_max, uint32_t* next, state::TableRows* rows) const;

 private:
  static constexpr uint32_t kBlockBits = 10;
  static constexpr uint32_t kBlockGroups = 1u << kBlockBits;

  uint32_t number_count() const { return static_cast<uint32_t>(slice_counts_.size()); }
  Accumulator At(uint32_t number) const {
    return blocks_[number >> kBlockBits].get() + (number % kBlockGroups) * accumulator_bytes_;
  }
  uint32_t NewNumber(const types::KeyBatch& keys, size_t row);
  absl::Status Forget(uint32_t number);

  const bool is_key_fixed_;
  const uint32_t accumulator_bytes_;
  std::unique_ptr<state::StateTable> numbers_;  // key -> its number + 1, an int64
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<uint32_t> slice_counts_;   // by number: slices that have the key; 0: number is free
  std::vector<int64_t> fixed_keys_;      // by number, if is_key_fixed_
  std::vector<std::string> bytes_keys_;  // by number, otherwise
  std::vector<uint32_t> free_numbers_;
  // Of a call; kept for their memory.
  types::PodVector<std::byte*> found_;
  types::PodVector<uint8_t> inserted_;
};

}  // namespace weir::operators
