// CoordinatorCore, first half of a checkpoint's life: from the request until the triggers are out.

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/checkpoint/coordinator_core.h"

namespace weir::checkpoint {
namespace {

// Shortest wait before the FINAL checkpoint is tried again: a full disk is not asked in a loop.
constexpr absl::Duration kFinalRetryMin = absl::Seconds(1);

bool IsPeriodic(const TriggerRequest& request) {
  return request.origin == RequestOrigin::kPeriodic;
}

}  // namespace

absl::Duration CoordinatorCore::EffectiveInterval() const {
  WEIR_CHECK(settings_.interval.has_value());
  return std::max(*settings_.interval, settings_.min_pause);
}

void CoordinatorCore::ArmPeriodic(absl::Duration at, Actions& actions) {
  periodic_at_ = at;
  actions.emplace_back(ArmTimer{TimerKind::kPeriodic, kNoCheckpoint, at});
}

void CoordinatorCore::EnsurePeriodicArmed(Now now, Actions& actions) {
  if (!IsScheduling() || periodic_at_.has_value()) return;
  ArmPeriodic(now.steady + EffectiveInterval(), actions);
}

void CoordinatorCore::OnPeriodicTimer(Now now, Actions& actions) {
  // A timer that was replaced may still fire: only the one armed last counts.
  if (!IsScheduling() || !periodic_at_.has_value() || now.steady < *periodic_at_) return;
  const absl::Duration interval = EffectiveInterval();
  const int64_t missed = (now.steady - *periodic_at_) / interval;
  ArmPeriodic(*periodic_at_ + (missed + 1) * interval, actions);
  // The final checkpoint covers what a periodic one would.
  if (final_ != FinalState::kNone) return;
  Submit({.origin = RequestOrigin::kPeriodic, .scope = settings_.scope, .target = {}}, now,
         actions);
}

Actions CoordinatorCore::OnUserRequest(const UserRequest& request, Now now) {
  Actions actions;
  // Aligned savepoints run at once: their barriers queue behind those of other checkpoints.
  const bool forced = request.forced || (IsSavepoint(request.kind) &&
                                         settings_.alignment == BarrierAlignment::kAligned);
  Submit({.token = request.token,
          .kind = request.kind,
          .scope = request.scope,
          .forced = forced,
          .target = request.target},
         now, actions);
  return actions;
}

void CoordinatorCore::Submit(TriggerRequest request, Now now, Actions& actions) {
  Refusal refusal;
  if (mode_ == Mode::kShutdown) {
    refusal = {kNoCheckpoint, FailureReason::kCoordinatorShutdown,
               absl::FailedPreconditionError("the job's coordinator is shut down")};
  } else if (IsPeriodic(request) && !IsScheduling()) {
    refusal = {kNoCheckpoint, FailureReason::kPeriodicSchedulerShutdown,
               absl::FailedPreconditionError("the job is not running")};
  } else if (IsPeriodic(request) && queue_.HasPeriodic()) {
    refusal = {kNoCheckpoint, FailureReason::kAlreadyQueued,
               absl::FailedPreconditionError("a periodic checkpoint waits already")};
  } else if (mode_ == Mode::kWaiting) {
    refusal = {kNoCheckpoint, FailureReason::kNotAllRequiredTasksRunning,
               absl::FailedPreconditionError("the job's tasks are not deployed")};
  } else {
    std::optional<TriggerRequest> fallen = queue_.Push(std::move(request));
    if (fallen.has_value()) {
      EndRequest(*fallen,
                 {kNoCheckpoint, FailureReason::kTooManyRequests,
                  absl::ResourceExhaustedError(
                      absl::StrCat("more than ", kRequestsQueuedMax, " requests wait"))},
                 now, actions);
    }
    RunNext(now, actions);
    return;
  }
  EndRequest(request, refusal, now, actions);
}

bool CoordinatorCore::IsTriggering() const {
  if (fetching_.has_value()) return true;
  return std::any_of(pending_.begin(), pending_.end(), [](const auto& entry) {
    const PendingPhase phase = entry.second->phase();
    return phase == PendingPhase::kHooks || phase == PendingPhase::kStoreUnknown;
  });
}

void CoordinatorCore::RunNext(Now now, Actions& actions) {
  while (mode_ == Mode::kActive && !queue_.empty() && !IsTriggering()) {
    if (!queue_.Front()->forced && pending_.size() >= settings_.max_concurrent) return;
    TriggerRequest request = queue_.Pop();
    const absl::Duration pause_ends = last_completed_at_ + settings_.min_pause;
    if (IsPeriodic(request) && now.steady < pause_ends) {
      if (IsScheduling()) ArmPeriodic(pause_ends, actions);
      continue;
    }
    const absl::Status ready = tasks_.CheckReady();
    if (!ready.ok()) {
      EndRequest(request, {kNoCheckpoint, FailureReason::kNotAllRequiredTasksRunning, ready}, now,
                 actions);
      continue;
    }
    actions.emplace_back(FetchId{request.kind, request.target});
    fetching_ = Fetching{.request = std::move(request)};
  }
}

void CoordinatorCore::EndRequest(const TriggerRequest& request, const Refusal& refusal, Now now,
                                 Actions& actions) {
  if (request.token != kNobody) {
    actions.emplace_back(
        RequestEnded{request.token, refusal.id, refusal.cause, refusal.reason, {}});
  }
  // Requests that made an id are logged as aborted checkpoints.
  if (refusal.id == kNoCheckpoint) {
    actions.emplace_back(
        LogLine{LogSeverity::kWarning,
                absl::StrCat("checkpoint not triggered job=", job_.job.ToString(),
                             " kind=", ToString(request.kind), " reason=", ToString(refusal.reason),
                             " cause=\"", refusal.cause.message(), "\"")});
  }
  if (request.kind == CheckpointKind::kFinal) OnFinalEnded(now, actions);
}

std::optional<FailureReason> CoordinatorCore::RepeatChecks(const Fetching& fetching,
                                                           absl::Status* cause) const {
  if (fetching.cancelled) {
    *cause = absl::AbortedError("the job stopped taking checkpoints meanwhile");
    return fetching.cancel_reason;
  }
  if (mode_ != Mode::kActive) {
    *cause = absl::AbortedError("the job's tasks are not deployed");
    return FailureReason::kNotAllRequiredTasksRunning;
  }
  if (IsPeriodic(fetching.request) && !IsScheduling()) {
    *cause = absl::FailedPreconditionError("the job is not running");
    return FailureReason::kPeriodicSchedulerShutdown;
  }
  if (!fetching.request.forced && pending_.size() >= settings_.max_concurrent) {
    *cause = absl::FailedPreconditionError("another checkpoint began meanwhile");
    return FailureReason::kTooManyConcurrentCheckpoints;
  }
  *cause = tasks_.CheckReady();
  if (!cause->ok()) return FailureReason::kNotAllRequiredTasksRunning;
  return std::nullopt;
}

Actions CoordinatorCore::OnIdFetched(const IdFacts& fetched, Now now) {
  Actions actions;
  WEIR_CHECK(fetching_.has_value());
  const Fetching fetching = std::move(*fetching_);
  fetching_.reset();
  absl::Status cause;
  if (fetched.id <= highest_seen_) {
    // The location may be a live one: it stays.
    cause = absl::InternalError(
        absl::StrCat("the counter gave id ", ToInt(fetched.id), " after ", ToInt(highest_seen_)));
    EndRequest(fetching.request, {kNoCheckpoint, FailureReason::kIoError, cause}, now, actions);
    history_.OnFailedWithoutId();
    CountFailure(kNoCheckpoint, FailureReason::kIoError, cause, actions);
    AfterEnding(now, actions);
    return actions;
  }
  highest_seen_ = fetched.id;
  const std::optional<FailureReason> refused = RepeatChecks(fetching, &cause);
  if (!refused.has_value()) {
    BeginPending(fetching.request, fetched, now, actions);
    return actions;
  }
  ended_.Remember({fetched.id, /*completed=*/false, fetched.location});
  const bool lost = mode_ == Mode::kShutdown && shutdown_reason_ == ShutdownReason::kLeadershipLost;
  if (!lost) actions.emplace_back(RemoveLocation{fetched.id, fetched.location});
  EndRequest(fetching.request, {kNoCheckpoint, *refused, cause}, now, actions);
  AfterEnding(now, actions);
  return actions;
}

Actions CoordinatorCore::OnIdFetchFailed(const absl::Status& cause, Now now) {
  Actions actions;
  WEIR_CHECK(fetching_.has_value());
  const Fetching fetching = std::move(*fetching_);
  fetching_.reset();
  EndRequest(fetching.request, {kNoCheckpoint, FailureReason::kIoError, cause}, now, actions);
  history_.OnFailedWithoutId();
  CountFailure(kNoCheckpoint, FailureReason::kIoError, cause, actions);
  AfterEnding(now, actions);
  return actions;
}

void CoordinatorCore::BeginPending(TriggerRequest request, const IdFacts& fetched, Now now,
                                   Actions& actions) {
  const bool incremental =
      request.scope == SnapshotScope::kIncremental && latest_completed_ != kNoCheckpoint;
  // Whole microseconds: what the stored metadata can hold.
  Barrier barrier{.id = fetched.id,
                  .triggered_at = absl::FromUnixMicros(absl::ToUnixMicros(now.wall)),
                  .options = {.kind = request.kind,
                              .scope = incremental ? request.scope : SnapshotScope::kFull,
                              .alignment = settings_.alignment,
                              .base = incremental ? latest_completed_ : kNoCheckpoint,
                              .location = fetched.location}};
  auto made = std::make_unique<PendingCheckpoint>(job_, tasks_, std::move(request),
                                                  std::move(barrier), now.steady);
  PendingCheckpoint& pending = *made;
  WEIR_CHECK(pending_.emplace(fetched.id, std::move(made)).second);
  history_.OnTriggered(pending.Stats());
  actions.emplace_back(ArmTimer{TimerKind::kExpiry, fetched.id, now.steady + settings_.timeout});
  actions.emplace_back(
      LogLine{LogSeverity::kInfo,
              absl::StrCat("checkpoint triggered job=", job_.job.ToString(),
                           " checkpoint=", ToInt(fetched.id), " kind=", ToString(pending.kind()))});
  if (!job_.master_hooks.empty()) {
    actions.emplace_back(
        CallMasterHooks{fetched.id, pending.barrier().triggered_at, job_.master_hooks});
    return;
  }
  pending.SetHooksDone({});
  SendTriggers(pending, actions);
  AfterEnding(now, actions);
}

Actions CoordinatorCore::OnMasterHooksDone(CheckpointId id,
                                           absl::StatusOr<std::vector<MasterHookState>> states,
                                           Now now) {
  Actions actions;
  PendingCheckpoint* pending = FindPending(id);
  if (pending == nullptr || pending->phase() != PendingPhase::kHooks) return actions;
  if (!states.ok()) {
    Abort(id, FailureReason::kTriggerFailure, states.status(), now, actions);
  } else if (const absl::Status ready = tasks_.CheckReady(); !ready.ok()) {
    Abort(id, FailureReason::kNotAllRequiredTasksRunning, ready, now, actions);
  } else {
    pending->SetHooksDone(*std::move(states));
    SendTriggers(*pending, actions);
  }
  AfterEnding(now, actions);
  return actions;
}

void CoordinatorCore::SendTriggers(const PendingCheckpoint& pending, Actions& actions) {
  const std::vector<uint32_t> triggered = tasks_.ToTrigger();
  WEIR_CHECK(!triggered.empty());
  for (const uint32_t task : triggered) {
    actions.emplace_back(SendTrigger{tasks_.tasks()[task].attempt, pending.barrier()});
  }
}

Actions CoordinatorCore::OnTriggerFailed(AttemptId attempt, CheckpointId id,
                                         const absl::Status& cause, Now now) {
  Actions actions;
  const PendingCheckpoint* pending = FindPending(id);
  uint32_t task = 0;
  if (pending == nullptr || pending->IsFinalizing() || !tasks_.Find(attempt, &task)) return actions;
  const bool gone = absl::IsNotFound(cause) || tasks_.tasks()[task].state == TaskState::kFinished;
  Abort(id, gone ? FailureReason::kTaskFinished : FailureReason::kTriggerFailure,
        absl::Status(cause.code(), absl::StrCat("task ", tasks_.NameOf(task),
                                                " did not take the trigger: ", cause.message())),
        now, actions);
  AfterEnding(now, actions);
  return actions;
}

void CoordinatorCore::MaybeTakeFinal(Now now, Actions& actions) {
  if (mode_ != Mode::kActive || final_ != FinalState::kNone) return;
  if (!tasks_.AllAtEndOfData()) return;
  final_ = FinalState::kRequested;
  queue_.RemovePeriodic();
  Submit({.kind = CheckpointKind::kFinal, .scope = settings_.scope, .forced = true, .target = {}},
         now, actions);
}

void CoordinatorCore::OnFinalEnded(Now now, Actions& actions) {
  if (final_ != FinalState::kRequested || mode_ != Mode::kActive) return;
  final_ = FinalState::kRetryLater;
  const absl::Duration wait = std::max(kFinalRetryMin, settings_.min_pause);
  actions.emplace_back(ArmTimer{TimerKind::kFinalRetry, kNoCheckpoint, now.steady + wait});
}

}  // namespace weir::checkpoint
