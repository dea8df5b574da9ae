#include "common/checkpoint/barrier_aligner.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::checkpoint {

BarrierAligner::BarrierAligner(uint32_t channel_count, int64_t alignment_bytes_limit)
    : alignment_bytes_limit_(alignment_bytes_limit),
      blocked_(channel_count, false),
      closed_(channel_count, false) {
  WEIR_CHECK(channel_count > 0);
  WEIR_CHECK(alignment_bytes_limit == kAlignmentBytesUnlimited || alignment_bytes_limit > 0);
}

absl::Status BarrierAligner::CheckUnblocked(uint32_t channel, const char* what) const {
  WEIR_CHECK(channel < blocked_.size());
  if (!blocked_[channel]) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, " on channel ", channel,
                                          " after its barrier of checkpoint ", ToInt(current_.id),
                                          ": the stream is corrupt"));
}

void BarrierAligner::Release(AlignerDecisions& decisions) {
  const bool any_blocked = std::find(blocked_.begin(), blocked_.end(), true) != blocked_.end();
  if (any_blocked) decisions.emplace_back(UnblockAllChannels{});
  std::fill(blocked_.begin(), blocked_.end(), false);
  received_count_ = 0;
  aligning_ = false;
}

void BarrierAligner::GiveUpCurrent(FailureReason reason, AlignerDecisions& decisions) {
  WEIR_CHECK(aligning_);
  Release(decisions);
  decisions.emplace_back(GiveUpCheckpoint{current_.id, reason});
}

void BarrierAligner::RaiseHighest(CheckpointId id) {
  WEIR_CHECK(id > highest_);
  highest_ = id;
  aborted_.erase(aborted_.begin(), aborted_.upper_bound(id));
}

void BarrierAligner::Receive(uint32_t channel, AlignerDecisions& decisions) {
  WEIR_CHECK(aligning_);
  ++received_count_;
  WEIR_CHECK(received_count_ + closed_count_ <= blocked_.size());
  if (received_count_ + closed_count_ < blocked_.size()) {
    blocked_[channel] = true;
    decisions.emplace_back(BlockChannel{channel});
  }
  MaybeTrigger(decisions);
}

void BarrierAligner::MaybeTrigger(AlignerDecisions& decisions) {
  if (!aligning_ || received_count_ + closed_count_ < blocked_.size()) return;
  Release(decisions);
  decisions.emplace_back(TriggerCheckpoint{current_});
}

absl::StatusOr<AlignerDecisions> BarrierAligner::OnBarrier(uint32_t channel,
                                                           const Barrier& barrier) {
  AlignerDecisions decisions;
  WEIR_RETURN_IF_ERROR(CheckUnblocked(channel, "a barrier"));
  if (closed_[channel]) return decisions;
  if (aligning_ && barrier.id == current_.id) {
    Receive(channel, decisions);
    return decisions;
  }
  if (barrier.id <= highest_) return decisions;
  // A channel delivers barriers in order: the old one will never come on this channel.
  if (aligning_) GiveUpCurrent(FailureReason::kSubsumed, decisions);
  const bool is_aborted = aborted_.contains(barrier.id);
  RaiseHighest(barrier.id);
  if (is_aborted) return decisions;
  current_ = barrier;
  aligning_ = true;
  Receive(channel, decisions);
  return decisions;
}

absl::StatusOr<AlignerDecisions> BarrierAligner::OnCancelMarker(uint32_t channel, CheckpointId id) {
  AlignerDecisions decisions;
  WEIR_RETURN_IF_ERROR(CheckUnblocked(channel, "a cancellation marker"));
  if (aligning_ && id == current_.id) {
    GiveUpCurrent(FailureReason::kCancellationMarker, decisions);
    return decisions;
  }
  if (id <= highest_) return decisions;
  if (aligning_) GiveUpCurrent(FailureReason::kSubsumed, decisions);
  RaiseHighest(id);
  decisions.emplace_back(GiveUpCheckpoint{id, FailureReason::kCancellationMarker});
  return decisions;
}

absl::StatusOr<AlignerDecisions> BarrierAligner::OnChannelClosed(uint32_t channel) {
  AlignerDecisions decisions;
  WEIR_RETURN_IF_ERROR(CheckUnblocked(channel, "the end"));
  if (closed_[channel]) return decisions;
  closed_[channel] = true;
  ++closed_count_;
  WEIR_CHECK(closed_count_ <= closed_.size());
  MaybeTrigger(decisions);
  return decisions;
}

AlignerDecisions BarrierAligner::OnAbortNotification(CheckpointId id) {
  AlignerDecisions decisions;
  if (aligning_ && id == current_.id) {
    Release(decisions);
    return decisions;
  }
  if (id <= highest_) return decisions;
  aborted_.insert(id);
  if (aborted_.size() > kAbortedIdsMax) aborted_.erase(aborted_.begin());
  return decisions;
}

AlignerDecisions BarrierAligner::OnAlignmentBytes(uint64_t bytes) {
  AlignerDecisions decisions;
  if (!aligning_ || alignment_bytes_limit_ == kAlignmentBytesUnlimited) return decisions;
  if (bytes <= static_cast<uint64_t>(alignment_bytes_limit_)) return decisions;
  GiveUpCurrent(FailureReason::kAlignmentLimitExceeded, decisions);
  return decisions;
}

}  // namespace weir::checkpoint
