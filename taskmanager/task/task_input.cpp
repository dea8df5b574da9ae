// What a task's input channels bring: rows, event time, barriers and ends.
#include <algorithm>
#include <utility>

#include "common/base/status_macros.h"
#include "common/types/block_codec.h"
#include "taskmanager/task/task.h"

namespace weir::task {

using checkpoint::AlignerDecisions;

absl::Status Task::OnElement(network::GateElement element) {
  const uint32_t channel = element.channel;
  if (types::BatchPtr* batch = std::get_if<types::BatchPtr>(&element.element)) {
    chain_->Feed(std::move(*batch));
    return absl::OkStatus();
  }
  if (auto* encoded = std::get_if<network::EncodedBatch>(&element.element)) {
    WEIR_ASSIGN_OR_RETURN(types::BatchPtr batch,
                          types::DecodeBlock(std::move(encoded->block), channels_[channel]));
    chain_->Feed(std::move(batch));
    return absl::OkStatus();
  }
  if (const auto* watermark = std::get_if<network::Watermark>(&element.element)) {
    FeedWatermark(watermarks_.OnWatermark(channel, watermark->time));
    return absl::OkStatus();
  }
  if (const auto* idleness = std::get_if<network::Idleness>(&element.element)) {
    FeedWatermark(watermarks_.OnIdleness(channel, idleness->is_idle));
    FeedIdleness();
    return absl::OkStatus();
  }
  if (std::holds_alternative<network::EndOfData>(element.element)) {
    OnChannelEnded(channel);
    return absl::OkStatus();
  }
  absl::StatusOr<AlignerDecisions> decisions;
  if (const auto* barrier = std::get_if<checkpoint::Barrier>(&element.element)) {
    decisions = aligner_->OnBarrier(channel, *barrier);
  } else if (const auto* marker = std::get_if<network::CancelMarker>(&element.element)) {
    decisions = aligner_->OnCancelMarker(channel, marker->id);
  } else {
    decisions = aligner_->OnChannelClosed(channel);
  }
  WEIR_RETURN_IF_ERROR(decisions.status());
  return Apply(*decisions);
}

absl::Status Task::Apply(const AlignerDecisions& decisions) {
  for (const checkpoint::AlignerDecision& decision : decisions) {
    if (const auto* block = std::get_if<checkpoint::BlockChannel>(&decision)) {
      gate_.Block(block->channel);
      aligning_since_ = std::min(aligning_since_, services_.clock.SteadyNow());
    } else if (const auto* trigger = std::get_if<checkpoint::TriggerCheckpoint>(&decision)) {
      const absl::Duration now = services_.clock.SteadyNow();
      const absl::Duration alignment = std::max(absl::ZeroDuration(), now - aligning_since_);
      aligning_since_ = absl::InfiniteDuration();
      WEIR_RETURN_IF_ERROR(PerformCheckpoint(trigger->barrier, alignment));
    } else if (const auto* give_up = std::get_if<checkpoint::GiveUpCheckpoint>(&decision)) {
      aligning_since_ = absl::InfiniteDuration();
      Decline(give_up->id, give_up->reason, absl::OkStatus());
      ForwardCancel(give_up->id);
    } else {
      for (uint32_t channel = 0; channel < gate_.channel_count(); ++channel) {
        gate_.Unblock(channel);
      }
    }
  }
  return absl::OkStatus();
}

void Task::FeedWatermark(std::optional<EventTimeUs> watermark) {
  // The maximum comes with the end of the data.
  if (watermark.has_value() && *watermark != kEventTimeMax) {
    chain_->Feed(network::Watermark{*watermark});
  }
}

void Task::FeedIdleness() {
  if (watermarks_.IsIdle() == is_idle_downstream_) return;
  is_idle_downstream_ = watermarks_.IsIdle();
  chain_->Feed(network::Idleness{is_idle_downstream_});
}

void Task::OnChannelEnded(uint32_t channel) {
  FeedWatermark(watermarks_.OnEnd(channel));
  if (!watermarks_.HasEnded()) {
    FeedIdleness();
    return;
  }
  chain_->Feed(network::Watermark{kEventTimeMax});
  chain_->Feed(network::EndOfData{});
}

}  // namespace weir::task
