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

  size_t size() const { return accumulators_.size(); }
  const types::PodVector<Accumulator>& accumulators() const { return accumulators_; }
  // Number of the group's first row in the batch.
  uint32_t first_row(size_t i) const { return first_rows_[i]; }
  // Whether the group is new with this batch.
  bool is_new(size_t i) const { return is_new_[i] != 0; }
  // The group of an accumulator. REQUIRES: it was collected.
  size_t IndexOf(ConstAccumulator accumulator) const;

 private:
  static size_t SlotOf(ConstAccumulator accumulator);

  types::PodVector<Accumulator> accumulators_;
  types::PodVector<uint32_t> first_rows_;
  types::PodVector<uint8_t> is_new_;
  std::vector<uint16_t> slots_;  // open addressing: index into accumulators_, or kFree
  types::PodVector<uint16_t> used_slots_;
};

}  // namespace weir::operators
