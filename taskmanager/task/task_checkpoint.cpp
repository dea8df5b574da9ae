// The synchronous half of a task's checkpoints, and what their outcome does.
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/task/task.h"

namespace weir::task {

using checkpoint::CheckpointKind;

absl::Status Task::PerformCheckpoint(const checkpoint::Barrier& barrier, absl::Duration alignment) {
  WEIR_CHECK(chain_->IsIdle());
  WEIR_CHECK(barrier.id > last_barrier_);
  const absl::Duration started = services_.clock.SteadyNow();
  WEIR_RETURN_IF_ERROR(chain_->PrepareSnapshot());
  output_.Broadcast(barrier);
  last_barrier_ = barrier.id;
  if (barrier.options.kind == CheckpointKind::kFinal ||
      barrier.options.kind == CheckpointKind::kStop) {
    ending_barrier_ = barrier.id;
  }
  WEIR_ASSIGN_OR_RETURN(std::vector<OperatorPart> parts, CutParts(barrier));
  checkpoint::AckMetrics metrics;
  metrics.start_delay = services_.clock.WallNow() - barrier.triggered_at;
  metrics.alignment = alignment;
  metrics.sync = services_.clock.SteadyNow() - started;
  writer_.Start(barrier, std::move(parts), metrics, /*finished=*/end_reported_);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OperatorPart>> Task::CutParts(const checkpoint::Barrier& barrier) {
  std::vector<OperatorPart> parts;
  size_t link = 0;
  for (const std::unique_ptr<OperatorRuntime>& runtime : runtimes_) {
    OperatorPart part;
    part.uid = runtime->uid;
    const operators::SnapshotRequest request{barrier.id, barrier.options, &part.async_parts};
    if (runtime->source != nullptr) {
      WEIR_RETURN_IF_ERROR(runtime->source->Snapshot(request, *source_state_));
    } else {
      WEIR_RETURN_IF_ERROR(runtime->op->Snapshot(request, *chain_->links()[link++].state));
    }
    if (runtime->keyed.state_count() > 0) part.keyed = runtime->keyed.Snapshot();
    part.lists = std::make_unique<state::OperatorSnapshot>(runtime->lists.Snapshot());
    parts.push_back(std::move(part));
  }
  return parts;
}

absl::Status Task::OnNotifyComplete(CheckpointId id) {
  if (source_state_ != nullptr) {
    WEIR_RETURN_IF_ERROR(runtimes_.front()->source->NotifyComplete(id, *source_state_));
  }
  for (ChainLink& link : chain_->links()) {
    WEIR_RETURN_IF_ERROR(link.op->NotifyComplete(id, *link.state));
  }
  if (ending_barrier_ != kNoCheckpoint && id >= ending_barrier_) may_finish_ = true;
  return absl::OkStatus();
}

absl::Status Task::OnNotifyAborted(CheckpointId id) {
  writer_.Abort(id);
  if (ending_barrier_ == id) ending_barrier_ = kNoCheckpoint;
  if (aligner_.has_value()) WEIR_RETURN_IF_ERROR(Apply(aligner_->OnAbortNotification(id)));
  for (ChainLink& link : chain_->links()) {
    WEIR_RETURN_IF_ERROR(link.op->NotifyAborted(id, *link.state));
  }
  return absl::OkStatus();
}

void Task::Decline(CheckpointId id, checkpoint::FailureReason reason, const absl::Status& cause) {
  services_.events.OnDecline(
      {.sender = identity_.sender, .id = id, .reason = reason, .cause = cause});
}

void Task::ForwardCancel(CheckpointId id) {
  // Once the barrier is out, consumers hear of the end through their own notifications.
  if (id > last_barrier_) output_.Broadcast(network::CancelMarker{id});
}

}  // namespace weir::task
