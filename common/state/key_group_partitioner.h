// PartitionByKeyGroup: sorts rows by key group, stable and in O(rows + groups), for state that is
// not kept by group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/status/status.h>

#include "common/state/key_group.h"

namespace weir::state {

// Rows in group order: those of group range.first + g are order[starts[g]] .. order[starts[g + 1]].
struct KeyGroupPartition {
  std::vector<uint32_t> starts;  // range.Size() + 1
  std::vector<uint32_t> order;

  std::span<const uint32_t> RowsOfGroup(uint32_t index) const {
    return std::span(order).subspan(starts[index], starts[index + 1] - starts[index]);
  }
};

// `groups[i]` is the group of row i; each is looked at twice and computed by nobody again.
// INTERNAL: a group outside `range`, naming both.
absl::Status PartitionByKeyGroup(std::span<const uint32_t> groups, KeyGroupRange range,
                                 KeyGroupPartition* partition);

}  // namespace weir::state
