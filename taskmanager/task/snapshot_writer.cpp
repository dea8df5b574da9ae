#include "taskmanager/task/snapshot_writer.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::task {

struct SnapshotWriter::Work {
  checkpoint::Barrier barrier;
  std::vector<OperatorPart> parts;
  checkpoint::AckMetrics metrics;
  bool finished = false;
  absl::Duration started_at;
};

SnapshotWriter::SnapshotWriter(base::Executor& io, SnapshotPlaces& places, const base::Clock& clock,
                               checkpoint::Sender sender, rpc::TaskEvents& events)
    : io_(io), places_(places), clock_(clock), sender_(sender), events_(events) {
}

SnapshotWriter::~SnapshotWriter() {
  CloseAndWait();
}

void SnapshotWriter::Start(const checkpoint::Barrier& barrier, std::vector<OperatorPart> parts,
                           checkpoint::AckMetrics metrics, bool finished) {
  {
    base::MutexLock lock(mutex_);
    running_[barrier.id] = true;
    ++running_count_;
  }
  auto work = std::make_unique<Work>(
      Work{barrier, std::move(parts), metrics, finished, clock_.SteadyNow()});
  io_.Run([this, work = std::move(work)]() mutable {
    Run(*work);
    work.reset();  // gives snapshot memory back before the task may end
    base::MutexLock lock(mutex_);
    --running_count_;
    ended_.WakeAll();
  });
}

void SnapshotWriter::Abort(CheckpointId id) {
  base::MutexLock lock(mutex_);
  const auto it = running_.find(id);
  if (it != running_.end()) it->second = false;
}

void SnapshotWriter::CloseAndWait() {
  base::MutexLock lock(mutex_);
  for (auto& [id, wanted] : running_) wanted = false;
  while (running_count_ > 0) ended_.Wait(mutex_);
}

bool SnapshotWriter::TakeForReport(CheckpointId id) {
  base::MutexLock lock(mutex_);
  const auto it = running_.find(id);
  WEIR_CHECK(it != running_.end());
  const bool wanted = it->second;
  running_.erase(it);
  return wanted;
}

absl::Status SnapshotWriter::CheckWanted(CheckpointId id) const {
  base::MutexLock lock(mutex_);
  return running_.at(id) ? absl::OkStatus() : absl::CancelledError("the checkpoint was aborted");
}

void SnapshotWriter::Run(Work& work) {
  checkpoint::AckFacts ack;
  ack.sender = sender_;
  ack.id = work.barrier.id;
  ack.finished = work.finished;
  const absl::Status written = Write(work, &ack);
  work.metrics.async = clock_.SteadyNow() - work.started_at;
  ack.metrics = work.metrics;
  const bool wanted = TakeForReport(work.barrier.id);
  if (wanted && written.ok()) {
    events_.OnAck(std::move(ack));
    return;
  }
  for (const auto& [uid, part] : ack.states) places_.Discard(work.barrier, part);
  if (!wanted) return;
  events_.OnDecline({.sender = sender_,
                     .id = work.barrier.id,
                     .reason = checkpoint::FailureReason::kAsyncFailure,
                     .cause = written});
}

absl::Status SnapshotWriter::Write(Work& work, checkpoint::AckFacts* ack) {
  for (OperatorPart& part : work.parts) {
    for (absl::AnyInvocable<absl::Status()>& step : part.async_parts) {
      WEIR_RETURN_IF_ERROR(CheckWanted(work.barrier.id));
      WEIR_RETURN_IF_ERROR(step());
    }
  }
  WEIR_RETURN_IF_ERROR(CheckWanted(work.barrier.id));
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<state::SnapshotOutputFactory> outputs,
                        places_.OutputsFor(work.barrier));
  for (OperatorPart& part : work.parts) {
    WEIR_RETURN_IF_ERROR(CheckWanted(work.barrier.id));
    state::OperatorSubtaskState& state = ack->states[part.uid];
    if (part.keyed != nullptr) {
      WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<state::SnapshotOutput> output, outputs->Create());
      WEIR_ASSIGN_OR_RETURN(state::KeyedStateHandle handle, part.keyed->Write(*output));
      if (handle.stream.size > 0) state.keyed_managed.push_back(std::move(handle));
      part.keyed->Release();
    }
    if (part.lists != nullptr) {
      WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<state::SnapshotOutput> output, outputs->Create());
      WEIR_ASSIGN_OR_RETURN(state::OperatorStateHandle handle, part.lists->Write(*output));
      if (handle.stream.size > 0) state.operator_managed.push_back(std::move(handle));
    }
  }
  return absl::OkStatus();
}

}  // namespace weir::task
