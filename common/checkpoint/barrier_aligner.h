// BarrierAligner: exactly-once alignment of barriers over the input channels of one task.
// Pure: it is told what arrives and decides what to block, trigger and give up.
#pragma once

#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"

namespace weir::checkpoint {

// No limit on the bytes that wait in blocked channels.
inline constexpr int64_t kAlignmentBytesUnlimited = -1;
// Most aborted ids remembered ahead of their barriers.
inline constexpr size_t kAbortedIdsMax = 128;

// Stop popping the channel; what it holds keeps its order.
struct BlockChannel {
  uint32_t channel = 0;
  bool operator==(const BlockChannel&) const = default;
};
// Pop every channel again.
struct UnblockAllChannels {
  bool operator==(const UnblockAllChannels&) const = default;
};
// All rows before the barrier are in: perform the checkpoint now.
struct TriggerCheckpoint {
  Barrier barrier;
  bool operator==(const TriggerCheckpoint&) const = default;
};
// Give the checkpoint up: decline it once with `reason` and send its cancellation marker on every
// output channel, for its barrier is not out.
struct GiveUpCheckpoint {
  CheckpointId id = kNoCheckpoint;
  FailureReason reason = FailureReason::kSubsumed;
  bool operator==(const GiveUpCheckpoint&) const = default;
};

using AlignerDecision =
    std::variant<BlockChannel, UnblockAllChannels, TriggerCheckpoint, GiveUpCheckpoint>;
using AlignerDecisions = std::vector<AlignerDecision>;  // to be carried out in order

// Thread:    the task's.
// Invariant: while aligning, between 1 and open channels - 1 channels are blocked; else none.
// Invariant: triggered ids only rise; an id is triggered or given up, at most one of these, once.
class BarrierAligner {
 public:
  // REQUIRES: channel_count > 0; alignment_bytes_limit positive or kAlignmentBytesUnlimited.
  explicit BarrierAligner(uint32_t channel_count,
                          int64_t alignment_bytes_limit = kAlignmentBytesUnlimited);

  // INTERNAL: a second barrier of the id on one channel during its alignment: the stream is corrupt
  // and the task must fail. So must it for anything that arrives on a blocked channel.
  absl::StatusOr<AlignerDecisions> OnBarrier(uint32_t channel, const Barrier& barrier);
  // INTERNAL: the channel is blocked.
  absl::StatusOr<AlignerDecisions> OnCancelMarker(uint32_t channel, CheckpointId id);
  // The channel has ended and counts as having delivered every barrier. INTERNAL: it is blocked.
  absl::StatusOr<AlignerDecisions> OnChannelClosed(uint32_t channel);
  // The coordinator has aborted `id`: nothing is declined and no marker sent.
  AlignerDecisions OnAbortNotification(CheckpointId id);
  // `bytes` wait in the blocked channels.
  AlignerDecisions OnAlignmentBytes(uint64_t bytes);

  bool IsAligning() const { return aligning_; }
  bool IsBlocked(uint32_t channel) const { return blocked_[channel]; }
  bool IsClosed(uint32_t channel) const { return closed_[channel]; }
  // The alignment under way; kNoCheckpoint outside one.
  CheckpointId aligning_id() const { return aligning_ ? current_.id : kNoCheckpoint; }
  uint32_t channel_count() const { return static_cast<uint32_t>(blocked_.size()); }

 private:
  absl::Status CheckUnblocked(uint32_t channel, const char* what) const;
  void Release(AlignerDecisions& decisions);
  void GiveUpCurrent(FailureReason reason, AlignerDecisions& decisions);
  void RaiseHighest(CheckpointId id);
  void Receive(uint32_t channel, AlignerDecisions& decisions);
  void MaybeTrigger(AlignerDecisions& decisions);

  const int64_t alignment_bytes_limit_;
  std::vector<bool> blocked_;
  std::vector<bool> closed_;
  uint32_t received_count_ = 0;  // barriers of the alignment under way
  uint32_t closed_count_ = 0;
  bool aligning_ = false;
  Barrier current_;
  CheckpointId highest_ = kNoCheckpoint;  // of all barriers and markers seen
  std::set<CheckpointId> aborted_;        // above highest_
};

}  // namespace weir::checkpoint
