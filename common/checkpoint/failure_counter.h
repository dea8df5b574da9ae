// FailureCounter: how many checkpoints failed in a row, against what is tolerable.
#pragma once

#include <cstdint>
#include <set>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"

namespace weir::checkpoint {

inline constexpr int32_t kTolerableFailuresUnlimited = -1;

enum class FailureVerdict : uint8_t { kTolerated, kExceeded };

// Thread:    confined to the coordinator thread.
// Invariant: every id in counted_ids_ is above the newest success.
class FailureCounter {
 public:
  // `tolerable`: failures in a row that harm nobody; kTolerableFailuresUnlimited: any number.
  explicit FailureCounter(int32_t tolerable);

  // `id` is kNoCheckpoint where none was made. An id counts once; ids not above the newest success
  // and reasons that are not counted are tolerated.
  FailureVerdict OnFailure(CheckpointId id, FailureReason reason);
  void OnSuccess(CheckpointId id);
  // A new execution starts from zero.
  void Reset();

  int64_t count() const { return count_; }

 private:
  const int32_t tolerable_;
  int64_t count_ = 0;
  CheckpointId newest_success_ = kNoCheckpoint;
  std::set<CheckpointId> counted_ids_;
};

}  // namespace weir::checkpoint
