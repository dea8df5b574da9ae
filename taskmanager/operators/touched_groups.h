// TouchedGroups: which accumulators the rows of a batch go to, each once.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/types/span.h>

#include "common/types/buffer.h"
#include "taskmanager/operators/aggregate_kernel.h"

namespace weir::operators {

// The distinct accumulators among those of a batch's rows, in order of their first row.
// Thread: confined to one thread.
class TouchedGroups {
 public:
  TouchedGroups();

  // `inserted` says for each row whether it made its accumulator.
  void Collect(absl::Span<const Accumulator> accumulators, absl::Span<const uint8_t> inserted);

  size_t size() const { return size_; }
  absl::Span<const Accumulator> accumulators() const {
    return absl::MakeConstSpan(accumulators_.data(), size_);
  }
  // Number of the group's first row in the batch.
  uint32_t first_row(size_t i) const { return first_rows_[i]; }
  // Whether the group is new with this batch.
  bool is_new(size_t i) const { return is_new_[i] != 0; }
  // The group of an accumulator. REQUIRES: it was collected.
  size_t IndexOf(ConstAccumulator accumulator) const;

 private:
  static size_t SlotOf(ConstAccumulator accumulator);

  // As long as a batch may be; the first size_ hold groups.
  types::PodVector<Accumulator> accumulators_;
  types::PodVector<uint32_t> first_rows_;
  types::PodVector<uint8_t> is_new_;
  types::PodVector<uint16_t> used_slots_;
  size_t size_ = 0;
  std::vector<uint16_t> slots_;  // open addressing: index into accumulators_, or kFree
};

}  // namespace weir::operators
