#include "common/checkpoint/coordinator_core.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::checkpoint {

absl::Status ValidateCoordinatorSettings(const CoordinatorSettings& settings) {
  if (settings.interval.has_value() && *settings.interval < kIntervalMin) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpointing.interval is ", absl::FormatDuration(*settings.interval),
                     "; it must be at least ", absl::FormatDuration(kIntervalMin)));
  }
  if (settings.timeout < kTimeoutMin) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpointing.timeout is ", absl::FormatDuration(settings.timeout),
                     "; it must be at least ", absl::FormatDuration(kTimeoutMin)));
  }
  if (settings.min_pause < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(absl::StrCat("checkpointing.min_pause is ",
                                                   absl::FormatDuration(settings.min_pause),
                                                   "; it must not be negative"));
  }
  if (settings.max_concurrent < 1) {
    return absl::InvalidArgumentError("checkpointing.max_concurrent is 0; it must be at least 1");
  }
  if (settings.tolerable_failures < kTolerableFailuresUnlimited) {
    return absl::InvalidArgumentError(absl::StrCat("checkpointing.tolerable_failures is ",
                                                   settings.tolerable_failures,
                                                   "; it must be at least 0, or -1 for unlimited"));
  }
  return absl::OkStatus();
}

CoordinatorCore::CoordinatorCore(JobFacts job, CoordinatorSettings settings, CheckpointId restored,
                                 uint64_t seed)
    : job_(std::move(job)),
      settings_(settings),
      random_(seed),
      tasks_(job_),
      failures_(settings_.tolerable_failures),
      history_(settings_.history_max),
      latest_completed_(restored),
      highest_seen_(restored) {
  WEIR_CHECK(ValidateCoordinatorSettings(settings_).ok());
  if (restored != kNoCheckpoint) history_.OnRestored(restored);
}

Actions CoordinatorCore::OnDeployed(const std::vector<AttemptFacts>& attempts, Now now) {
  Actions actions;
  if (mode_ == Mode::kShutdown) return actions;
  WEIR_CHECK(pending_.empty());
  tasks_.Deploy(attempts);
  mode_ = Mode::kActive;
  quiesce_owed_ = false;
  fail_job_sent_ = false;
  final_ = FinalState::kNone;
  failures_.Reset();
  AfterEnding(now, actions);
  return actions;
}

Actions CoordinatorCore::OnTaskState(AttemptId attempt, TaskState state, Now now) {
  Actions actions;
  uint32_t task = 0;
  if (!tasks_.Find(attempt, &task) || !tasks_.SetState(task, state)) return actions;
  const bool finished = state == TaskState::kFinished;
  if (finished || state == TaskState::kFailed) {
    std::vector<CheckpointId> hung;
    for (const auto& [id, pending] : pending_) {
      if (!pending->IsFinalizing() && pending->ledger().IsAwaited(task)) hung.push_back(id);
    }
    const absl::Status cause = absl::UnavailableError(
        absl::StrCat("task ", tasks_.NameOf(task), " ended as ", finished ? "finished" : "failed",
                     " before it acknowledged"));
    for (const CheckpointId id : hung) {
      Abort(id, finished ? FailureReason::kTaskFinished : FailureReason::kTaskFailed, cause, now,
            actions);
    }
  }
  AfterEnding(now, actions);
  return actions;
}

Actions CoordinatorCore::OnEndOfData(AttemptId attempt, Now now) {
  Actions actions;
  uint32_t task = 0;
  if (!tasks_.Find(attempt, &task)) return actions;
  tasks_.SetEndOfData(task);
  AfterEnding(now, actions);
  return actions;
}

Actions CoordinatorCore::OnJobRunning(Now now) {
  Actions actions;
  if (job_running_ || mode_ == Mode::kShutdown) return actions;
  job_running_ = true;
  if (!IsScheduling()) return actions;
  const int64_t pause_ns = absl::ToInt64Nanoseconds(settings_.min_pause);
  const int64_t interval_ns = absl::ToInt64Nanoseconds(EffectiveInterval());
  const absl::Duration first = absl::Nanoseconds(random_.Between(pause_ns, interval_ns));
  ArmPeriodic(now.steady + first, actions);
  return actions;
}

Actions CoordinatorCore::OnJobNotRunning(Now now) {
  Actions actions;
  if (!job_running_) return actions;
  job_running_ = false;
  queue_.RemovePeriodic();
  if (periodic_at_.has_value()) actions.emplace_back(CancelTimer{TimerKind::kPeriodic});
  periodic_at_.reset();
  return actions;
}

void CoordinatorCore::Pause(FailureReason reason, const std::string& cause, Now now,
                            Actions& actions) {
  if (fetching_.has_value() && !fetching_->cancelled) {
    fetching_->cancelled = true;
    fetching_->cancel_reason = reason;
  }
  if (final_ == FinalState::kRetryLater) actions.emplace_back(CancelTimer{TimerKind::kFinalRetry});
  final_ = FinalState::kNone;
  for (const TriggerRequest& request : queue_.Clear()) {
    EndRequest(request, {kNoCheckpoint, reason, absl::AbortedError(cause)}, now, actions);
  }
  AbortAll(reason, absl::AbortedError(cause), now, actions);
  quiesce_owed_ = true;
  AfterEnding(now, actions);
}

Actions CoordinatorCore::OnRestart(const std::string& cause, Now now) {
  Actions actions;
  if (mode_ == Mode::kShutdown) return actions;
  mode_ = Mode::kWaiting;
  Pause(FailureReason::kJobRestarting, cause, now, actions);
  return actions;
}

Actions CoordinatorCore::OnShutdown(ShutdownReason reason, Now now) {
  Actions actions = OnJobNotRunning(now);
  if (mode_ != Mode::kShutdown) shutdown_reason_ = reason;
  mode_ = Mode::kShutdown;
  const bool lost = shutdown_reason_ == ShutdownReason::kLeadershipLost;
  Pause(FailureReason::kJobEnding, lost ? "leadership is lost" : "the job has ended", now, actions);
  return actions;
}

Actions CoordinatorCore::OnTimer(TimerKind kind, CheckpointId id, Now now) {
  Actions actions;
  PendingCheckpoint* pending = FindPending(id);
  switch (kind) {
    case TimerKind::kPeriodic:
      OnPeriodicTimer(now, actions);
      break;
    case TimerKind::kExpiry:
      if (pending == nullptr || pending->IsFinalizing()) break;
      Abort(id, FailureReason::kExpired,
            absl::DeadlineExceededError(
                absl::StrCat("not complete after ", absl::FormatDuration(settings_.timeout))),
            now, actions);
      AfterEnding(now, actions);
      break;
    case TimerKind::kFinalRetry:
      if (final_ != FinalState::kRetryLater) break;
      final_ = FinalState::kNone;
      MaybeTakeFinal(now, actions);
      break;
    case TimerKind::kStoreReadBack:
      if (pending == nullptr || pending->phase() != PendingPhase::kStoreUnknown) break;
      actions.emplace_back(ReadStoreBack{id});
      break;
  }
  return actions;
}

void CoordinatorCore::AfterEnding(Now now, Actions& actions) {
  if (mode_ == Mode::kActive) {
    EnsurePeriodicArmed(now, actions);
    MaybeTakeFinal(now, actions);
    RunNext(now, actions);
  }
  if (!quiesce_owed_ || !pending_.empty()) return;
  quiesce_owed_ = false;
  actions.emplace_back(Quiesced{});
}

}  // namespace weir::checkpoint
