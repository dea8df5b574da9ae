#include "common/checkpoint/failure_counter.h"

#include <cstddef>

#include "common/base/check.h"

namespace weir::checkpoint {
namespace {

// An id ends once, so repeats are close together: remembering the last few is enough.
constexpr size_t kCountedIdsMax = 64;

}  // namespace

FailureCounter::FailureCounter(int32_t tolerable) : tolerable_(tolerable) {
  WEIR_CHECK(tolerable >= kTolerableFailuresUnlimited);
}

FailureVerdict FailureCounter::OnFailure(CheckpointId id, FailureReason reason) {
  if (!IsCounted(reason)) return FailureVerdict::kTolerated;
  if (id != kNoCheckpoint) {
    if (id <= newest_success_) return FailureVerdict::kTolerated;
    if (!counted_ids_.insert(id).second) return FailureVerdict::kTolerated;
    if (counted_ids_.size() > kCountedIdsMax) counted_ids_.erase(counted_ids_.begin());
  }
  ++count_;
  if (tolerable_ == kTolerableFailuresUnlimited) return FailureVerdict::kTolerated;
  return count_ > tolerable_ ? FailureVerdict::kExceeded : FailureVerdict::kTolerated;
}

void FailureCounter::OnSuccess(CheckpointId id) {
  if (id <= newest_success_) return;
  newest_success_ = id;
  Reset();
}

void FailureCounter::Reset() {
  count_ = 0;
  counted_ids_.clear();
}

}  // namespace weir::checkpoint
