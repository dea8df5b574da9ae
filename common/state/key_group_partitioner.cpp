#include "common/state/key_group_partitioner.h"

#include <absl/strings/str_cat.h>

namespace weir::state {

absl::Status PartitionByKeyGroup(std::span<const uint32_t> groups, KeyGroupRange range,
                                 KeyGroupPartition* partition) {
  std::vector<uint32_t>& starts = partition->starts;
  starts.assign(range.Size() + 1, 0);
  for (const uint32_t group : groups) {
    if (!range.Contains(group)) {
      return absl::InternalError(absl::StrCat("a row of key group ", group,
                                              " among those of the groups ", range.first, " to ",
                                              range.last));
    }
    ++starts[group - range.first + 1];
  }
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];

  partition->order.resize(groups.size());
  std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
  for (uint32_t row = 0; row < groups.size(); ++row) {
    partition->order[next[groups[row] - range.first]++] = row;
  }
  return absl::OkStatus();
}

}  // namespace weir::state
