// CoordinatorCore, second half of a checkpoint's life: from the acknowledgements to its end.

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/checkpoint/coordinator_core.h"

namespace weir::checkpoint {
namespace {

// How often the store is asked about an id whose outcome it could not tell, and how far apart.
constexpr uint32_t kStoreReadBacksMax = 10;
constexpr absl::Duration kStoreReadBackWait = absl::Seconds(1);

// Ends that nobody needs to look into.
bool IsOrderly(FailureReason reason) {
  return reason == FailureReason::kSubsumed || reason == FailureReason::kJobRestarting ||
         reason == FailureReason::kJobEnding;
}

std::vector<state::StreamHandle> StreamsOf(const AckFacts& ack) {
  std::vector<state::StreamHandle> streams;
  for (const auto& [uid, state] : ack.states) {
    ForEachStream(state, [&streams](const state::StreamHandle& stream) {
      if (!stream.IsInline()) streams.push_back(stream);
    });
  }
  return streams;
}

}  // namespace

PendingCheckpoint* CoordinatorCore::FindPending(CheckpointId id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : found->second.get();
}

bool CoordinatorCore::IsFrom(const Sender& sender) const {
  return sender.job == job_.job && sender.epoch == job_.epoch;
}

AckOutcome CoordinatorCore::OnAck(AckFacts ack, Now now) {
  if (!IsFrom(ack.sender)) return {};
  PendingCheckpoint* pending = FindPending(ack.id);
  if (pending == nullptr) return AckOfEnded(ack);
  return AckOfPending(*pending, std::move(ack), now);
}

AckOutcome CoordinatorCore::AckOfEnded(const AckFacts& ack) const {
  AckOutcome outcome;
  const EndedId* ended = ended_.Find(ack.id);
  const bool completed = (ended != nullptr && ended->completed) ||
                         (ack.id != kNoCheckpoint && ack.id == latest_completed_);
  const bool lost = mode_ == Mode::kShutdown && shutdown_reason_ == ShutdownReason::kLeadershipLost;
  if (completed) {
    outcome.result = AckResult::kDuplicate;
  } else if (ended != nullptr && !lost) {
    outcome.result = AckResult::kDiscarded;
    DiscardState discard{ack.id, ended->location, StreamsOf(ack)};
    if (!discard.streams.empty()) outcome.actions.emplace_back(std::move(discard));
  }
  if (mode_ == Mode::kShutdown) outcome.result = AckResult::kRefused;
  return outcome;
}

AckOutcome CoordinatorCore::AckOfPending(PendingCheckpoint& pending, AckFacts ack, Now now) {
  AckOutcome outcome;
  const CheckpointId id = pending.id();
  uint32_t task = 0;
  if (!tasks_.Find(ack.sender.attempt, &task) || pending.phase() == PendingPhase::kHooks) {
    outcome.actions.emplace_back(LogLine{
        LogSeverity::kWarning,
        absl::StrCat("acknowledgement from an unknown attempt job=", job_.job.ToString(),
                     " checkpoint=", ToInt(id), " attempt=", ack.sender.attempt.ToString())});
    return outcome;
  }
  AckLedger::Mark mark = AckLedger::Mark::kRepeated;
  const absl::Status taken = pending.Acknowledge(task, tasks_, std::move(ack), &mark);
  if (!taken.ok()) {
    if (!pending.IsFinalizing()) {
      Abort(id, FailureReason::kDeclined, taken, now, outcome.actions);
      AfterEnding(now, outcome.actions);
    }
    return outcome;
  }
  switch (mark) {
    case AckLedger::Mark::kFirst:
      outcome.result = AckResult::kSuccess;
      MaybeFinalize(pending, outcome.actions);
      break;
    case AckLedger::Mark::kRepeated:
      outcome.result = AckResult::kDuplicate;
      break;
    case AckLedger::Mark::kUnawaited:
      outcome.result = AckResult::kUnknown;
      break;
  }
  return outcome;
}

void CoordinatorCore::MaybeFinalize(PendingCheckpoint& pending, Actions& actions) {
  if (!pending.IsFullyAcknowledged()) return;
  actions.emplace_back(CancelTimer{TimerKind::kExpiry, pending.id()});
  actions.emplace_back(WriteMetadataAndStore{pending.TakeMetadata(), pending.location(),
                                             EntersStore(pending.kind())});
}

Actions CoordinatorCore::OnDecline(const DeclineFacts& decline, Now now) {
  Actions actions;
  uint32_t task = 0;
  if (!IsFrom(decline.sender) || !tasks_.Find(decline.sender.attempt, &task)) return actions;
  const PendingCheckpoint* pending = FindPending(decline.id);
  if (pending == nullptr || pending->IsFinalizing()) return actions;
  Abort(decline.id, decline.reason,
        absl::Status(
            decline.cause.ok() ? absl::StatusCode::kAborted : decline.cause.code(),
            absl::StrCat("task ", tasks_.NameOf(task), " declined: ",
                         decline.cause.ok() ? ToString(decline.reason) : decline.cause.message())),
        now, actions);
  AfterEnding(now, actions);
  return actions;
}

Actions CoordinatorCore::OnStoreResult(CheckpointId id, StoreOutcome outcome,
                                       const absl::Status& cause, Now now) {
  Actions actions;
  PendingCheckpoint* pending = FindPending(id);
  // A second answer about an id that has ended.
  if (pending == nullptr) return actions;
  WEIR_CHECK(pending->IsFinalizing());
  switch (outcome) {
    case StoreOutcome::kStored:
      Complete(id, now, actions);
      break;
    case StoreOutcome::kRefused:
      Abort(id, FailureReason::kFinalizeFailure, cause, now, actions);
      break;
    case StoreOutcome::kUnknown:
      OnStoreUnknown(*pending, cause, now, actions);
      return actions;
  }
  AfterEnding(now, actions);
  return actions;
}

void CoordinatorCore::OnStoreUnknown(PendingCheckpoint& pending, const absl::Status& cause, Now now,
                                     Actions& actions) {
  const CheckpointId id = pending.id();
  pending.SetStoreUnknown();
  if (pending.store_unknown_count() == 1) {
    actions.emplace_back(ReadStoreBack{id});
    return;
  }
  if (pending.store_unknown_count() <= kStoreReadBacksMax) {
    actions.emplace_back(ArmTimer{TimerKind::kStoreReadBack, id, now.steady + kStoreReadBackWait});
    return;
  }
  // Whoever leads next reads the store: nothing here may claim to know.
  actions.emplace_back(GiveUpLeadership{id, std::string(cause.message())});
  shutdown_reason_ = ShutdownReason::kLeadershipLost;
  mode_ = Mode::kShutdown;
  pending_.erase(id);
}

void CoordinatorCore::Complete(CheckpointId id, Now now, Actions& actions) {
  const std::unique_ptr<PendingCheckpoint> done = Leave(id, /*completed=*/true, actions);
  WEIR_CHECK(done->IsFinalizing());
  const bool enters_store = EntersStore(done->kind());
  if (enters_store) latest_completed_ = std::max(latest_completed_, id);
  if (!IsSavepoint(done->kind())) {
    std::vector<CheckpointId> lower;
    for (const auto& [other, pending] : pending_) {
      if (other < id && pending->CanBeSubsumed()) lower.push_back(other);
    }
    for (const CheckpointId other : lower) {
      Abort(other, FailureReason::kSubsumed,
            absl::AbortedError(absl::StrCat("checkpoint ", ToInt(id), " completed first")), now,
            actions);
    }
  }
  last_completed_at_ = now.steady;
  failures_.OnSuccess(id);
  if (done->kind() == CheckpointKind::kFinal) final_ = FinalState::kCompleted;
  for (uint32_t i = 0; enters_store && i < tasks_.task_count(); ++i) {
    const Task& task = tasks_.tasks()[i];
    const bool ended = task.state == TaskState::kFinished || task.state == TaskState::kFailed;
    if (ended || !done->ledger().HasAcknowledged(i)) continue;
    actions.emplace_back(NotifyComplete{task.attempt, id});
  }
  CheckpointStats stats = done->Stats();
  stats.status = CheckpointStatus::kCompleted;
  stats.duration = now.steady - done->started();
  if (done->request().token != kNobody) {
    actions.emplace_back(
        RequestEnded{done->request().token, id, absl::OkStatus(), std::nullopt, done->location()});
  }
  actions.emplace_back(LogLine{
      LogSeverity::kInfo, absl::StrCat("checkpoint completed job=", job_.job.ToString(),
                                       " checkpoint=", ToInt(id), " kind=", ToString(done->kind()),
                                       " duration_ms=", absl::ToInt64Milliseconds(stats.duration),
                                       " bytes=", stats.state_bytes)});
  history_.OnEnded(std::move(stats));
}

void CoordinatorCore::Abort(CheckpointId id, FailureReason reason, const absl::Status& cause,
                            Now now, Actions& actions) {
  const std::unique_ptr<PendingCheckpoint> given_up = Leave(id, /*completed=*/false, actions);
  const bool lost = mode_ == Mode::kShutdown && shutdown_reason_ == ShutdownReason::kLeadershipLost;
  for (uint32_t i = 0; !lost && i < tasks_.task_count(); ++i) {
    const Task& task = tasks_.tasks()[i];
    const bool ended = task.state == TaskState::kFinished || task.state == TaskState::kFailed;
    if (ended || given_up->phase() == PendingPhase::kHooks) continue;
    actions.emplace_back(NotifyAborted{task.attempt, id, latest_completed_});
  }
  // With the location goes everything the acknowledgements named.
  if (!lost) actions.emplace_back(RemoveLocation{id, given_up->location()});
  CheckpointStats stats = given_up->Stats();
  stats.status = CheckpointStatus::kFailed;
  stats.duration = now.steady - given_up->started();
  stats.reason = reason;
  stats.cause = std::string(cause.message());
  history_.OnEnded(std::move(stats));
  actions.emplace_back(LogLine{
      IsOrderly(reason) ? LogSeverity::kInfo : LogSeverity::kWarning,
      absl::StrCat("checkpoint aborted job=", job_.job.ToString(), " checkpoint=", ToInt(id),
                   " kind=", ToString(given_up->kind()), " reason=", ToString(reason),
                   " missing=\"", given_up->DescribeMissing(tasks_), "\" cause=\"", cause.message(),
                   "\"")});
  if (!RequeueRequest(*given_up, reason)) {
    EndRequest(given_up->request(), {id, reason, cause}, now, actions);
  }
  CountFailure(id, reason, cause, actions);
}

bool CoordinatorCore::RequeueRequest(const PendingCheckpoint& pending, FailureReason reason) {
  TriggerRequest request = pending.request();
  if (reason != FailureReason::kTaskFinished || mode_ != Mode::kActive) return false;
  if (request.retries_left == 0) return false;
  const bool periodic = request.origin == RequestOrigin::kPeriodic;
  if (periodic && (!IsScheduling() || queue_.HasPeriodic())) return false;
  // A full queue would push out another request for this one.
  if (queue_.size() >= kRequestsQueuedMax) return false;
  --request.retries_left;
  WEIR_CHECK(!queue_.Push(std::move(request)).has_value());
  return true;
}

void CoordinatorCore::AbortAll(FailureReason reason, const absl::Status& cause, Now now,
                               Actions& actions) {
  std::vector<CheckpointId> ids;
  for (const auto& [id, pending] : pending_) {
    if (!pending->IsFinalizing()) ids.push_back(id);
  }
  for (const CheckpointId id : ids) Abort(id, reason, cause, now, actions);
}

void CoordinatorCore::CountFailure(CheckpointId id, FailureReason reason, const absl::Status& cause,
                                   Actions& actions) {
  if (failures_.OnFailure(id, reason) == FailureVerdict::kTolerated) return;
  if (fail_job_sent_ || mode_ != Mode::kActive) return;
  fail_job_sent_ = true;
  actions.emplace_back(FailJob{
      reason, absl::Status(cause.code(),
                           absl::StrCat("checkpoints failed ", failures_.count(),
                                        " times in a row (tolerable_failures: ",
                                        settings_.tolerable_failures, "): ", cause.message()))});
}

std::unique_ptr<PendingCheckpoint> CoordinatorCore::Leave(CheckpointId id, bool completed,
                                                          Actions& actions) {
  const auto found = pending_.find(id);
  WEIR_CHECK(found != pending_.end());
  std::unique_ptr<PendingCheckpoint> left = std::move(found->second);
  pending_.erase(found);
  actions.emplace_back(CancelTimer{TimerKind::kExpiry, id});
  if (left->store_unknown_count() > 0) {
    actions.emplace_back(CancelTimer{TimerKind::kStoreReadBack, id});
  }
  ended_.Remember({id, completed, left->location()});
  return left;
}

}  // namespace weir::checkpoint
