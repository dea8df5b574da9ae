// Split: one part of a source's input and how far it has been read.
// The list of splits is fixed when a job first starts; a restore deals the same splits out anew, as
// a list state in contiguous runs, and never divides one. The bytes of a stored split:
// docs/formats/source_splits.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"

namespace weir::connectors {

struct Split {
  uint32_t index = 0;    // among all splits of the source
  uint32_t total = 1;    // how many there are
  std::string detail;    // the connector's bytes: what the split is
  int64_t position = 0;  // the connector's: what is read next; 0 at the start
  bool is_finished = false;
  // Of the rows read so far; kEventTimeMin: none yet.
  EventTimeUs event_time_max = kEventTimeMin;

  bool operator==(const Split&) const = default;
};

std::string EncodeSplit(const Split& split);
// DATA_LOSS: not an encoded split.
absl::StatusOr<Split> DecodeSplit(StringView bytes);

// Those of `all` that subtask `subtask` of `parallelism` gets at the first start: a contiguous run,
// as list state would be dealt out. Sets index and total.
std::vector<Split> DealSplits(std::vector<Split> all, uint32_t subtask, uint32_t parallelism);

}  // namespace weir::connectors
