#include "jobmanager/job/job.h"

#include <algorithm>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"

namespace weir::job {
namespace {

using checkpoint::ShutdownReason;

// Between looks for checkpoints that cannot be reached, if the job's restarts are used up.
constexpr absl::Duration kAwayDelay = absl::Seconds(10);

checkpoint::CoordinatorSettings SettingsOf(const graph::CheckpointingOptions& options) {
  checkpoint::CoordinatorSettings settings;
  if (options.interval.has_value()) settings.interval = *options.interval;
  settings.timeout = options.timeout;
  settings.min_pause = options.min_pause;
  settings.max_concurrent = static_cast<uint32_t>(options.max_concurrent);
  settings.tolerable_failures = static_cast<int32_t>(options.tolerable_failures);
  return settings;
}

// The failure's status, with its place if the message does not name it already.
absl::Status WithHost(const Failure& failure) {
  const std::string id = failure.taskmanager.ToShortString();
  const StringView message = failure.status.message();
  if (failure.host.empty() || absl::StrContains(message, id)) return failure.status;
  return absl::Status(failure.status.code(),
                      absl::StrCat(message, " (on taskmanager ", id, ", ", failure.host, ")"));
}

}  // namespace

uint32_t SlotsOf(const graph::JobGraph& graph) {
  uint32_t slots = 0;
  for (const graph::JobVertex& vertex : graph.vertices) {
    slots = std::max(slots, vertex.parallelism);
  }
  WEIR_CHECK(slots > 0);
  return slots;
}

Job::Job(JobDescription description, JobServices services)
    : description_(std::move(description)),
      services_(services),
      lifecycle_(description_.id, description_.plan->name, services.checkpoints.clock),
      ids_(description_.seed),
      restarts_(MakeRestartStrategy(description_.restart, description_.seed + 1)),
      coordinator_(MakeJobFacts(description_.id, description_.epoch, *description_.plan,
                                *description_.graph),
                   SettingsOf(description_.plan->settings.checkpointing), kNoCheckpoint,
                   description_.seed + 2, services.checkpoints, *this),
      self_(std::make_shared<Job*>(this)) {
}

Job::~Job() {
  if (restart_timer_.has_value()) services_.checkpoints.timers.Cancel(*restart_timer_);
}

// --- What is heard of tasks ---

bool Job::IsOfExecution(const checkpoint::Sender& sender) const {
  return sender.job == description_.id && sender.epoch == description_.epoch &&
         execution_.has_value() && execution_->Find(sender.attempt) != nullptr;
}

void Job::OnTaskRunning(const checkpoint::Sender& sender) {
  if (!IsOfExecution(sender) || !execution_->OnRunning(sender.attempt)) return;
  coordinator_.OnTaskState(sender.attempt, checkpoint::TaskState::kRunning);
}

void Job::OnEndOfData(const checkpoint::Sender& sender) {
  if (IsOfExecution(sender)) coordinator_.OnEndOfData(sender.attempt);
}

void Job::OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) {
  if (!IsOfExecution(sender)) return;
  const Attempt attempt = *execution_->Find(sender.attempt);
  if (!execution_->OnEnded(sender.attempt, status)) return;
  const bool was_running = attempt.state == checkpoint::TaskState::kRunning;
  if (absl::IsDataLoss(status) && !was_running) unreadable_ = counts_.restored;
  coordinator_.OnTaskState(sender.attempt, status.ok() ? checkpoint::TaskState::kFinished
                                                       : checkpoint::TaskState::kFailed);
  if (!status.ok() && lifecycle_.state() == JobState::kRunning && after_ == After::kNothing) {
    return Fail(FailureOf(&attempt, status));
  }
  if (!status.ok() && !absl::IsCancelled(status) && lifecycle_.state() == JobState::kFailing) {
    NoteFailure(FailureOf(&attempt, status));
  }
  if (execution_->AllFinished() && lifecycle_.state() == JobState::kRunning) return Finish();
  MaybeSettle();
}

// --- What is heard of checkpoints ---

void Job::OnCheckpointingFailed(const absl::Status& cause) {
  if (lifecycle_.state() != JobState::kRunning || after_ != After::kNothing) return;
  Fail(FailureOf(nullptr, cause));
}

void Job::OnLeadershipLost(const absl::Status& cause) {
  if (HasEnded(lifecycle_.state())) return;
  LOG(WARNING) << "leadership given up job=" << description_.id.ToString() << " cause=" << cause;
  root_cause_ = cause;
  coordinator_.OnShutdown(ShutdownReason::kLeadershipLost);
  StopExecution(After::kSuspended, std::string(cause.message()));
}

void Job::OnQuiesced() {
  quiesced_ = true;
  MaybeSettle();
}

// --- Failures ---

Failure Job::FailureOf(const Attempt* attempt, const absl::Status& status) const {
  Failure failure;
  failure.at = services_.checkpoints.clock.WallNow();
  failure.status = status;
  if (attempt == nullptr) return failure;
  failure.vertex = description_.graph->vertices[attempt->vertex].name;
  failure.subtask = attempt->subtask;
  failure.taskmanager = assignment_.slots[attempt->subtask];
  const auto place = assignment_.places.find(failure.taskmanager);
  if (place != assignment_.places.end()) failure.host = place->second.host;
  return failure;
}

void Job::NoteFailure(Failure failure) {
  failures_.Add(std::move(failure));
  root_cause_ = WithHost(*failures_.RootCause());
}

void Job::Fail(Failure failure) {
  failures_.BeginIncident();
  NoteFailure(std::move(failure));
  LOG(WARNING) << "job failure job=" << description_.id.ToString() << " cause=" << root_cause_;
  lifecycle_.Change(JobState::kFailing, root_cause_);
  StopExecution(After::kRestart, std::string(root_cause_.message()));
}

// --- Ending ---

void Job::CancelTasks() {
  if (!execution_.has_value()) return;
  for (const Attempt& attempt : execution_->attempts()) {
    if (!attempt.has_ended) services_.checkpoints.tasks.Cancel(attempt.id);
  }
}

void Job::StopExecution(After after, const std::string& why) {
  after_ = after;
  if (awaiting_slots_) services_.slots.Release(description_.id);
  if (!quiesced_) coordinator_.OnRestart(why);
  CancelTasks();
  MaybeSettle();
}

void Job::Cancel() {
  if (HasEnded(lifecycle_.state()) || lifecycle_.state() == JobState::kCancelling) return;
  lifecycle_.Change(JobState::kCancelling, absl::CancelledError("asked to"));
  StopExecution(After::kCanceled, "the job is cancelled");
}

void Job::Suspend() {
  if (HasEnded(lifecycle_.state()) || lifecycle_.state() == JobState::kCancelling) return;
  if (after_ == After::kSuspended) return;
  root_cause_ = absl::OkStatus();
  StopExecution(After::kSuspended, "this process stops");
}

// Once nothing of the execution is left: what was asked for last happens.
void Job::MaybeSettle() {
  if (after_ == After::kNothing || starting_ || !quiesced_) return;
  if (execution_.has_value() && execution_->live_count() > 0) return;
  services_.slots.Release(description_.id);
  switch (std::exchange(after_, After::kNothing)) {
    case After::kRestart:
      return Restart();
    case After::kCanceled:
      coordinator_.OnShutdown(ShutdownReason::kJobEnded);
      return EndWith(JobState::kCanceled, absl::CancelledError("asked to"));
    case After::kSuspended:
      coordinator_.OnShutdown(ShutdownReason::kLeadershipLost);
      return EndWith(JobState::kSuspended, root_cause_);
    case After::kNothing:
      return;
  }
}

bool Job::HasRun() const {
  return counts_.has_run || description_.started_by == StartedBy::kSystem;
}

bool Job::IsFinal(const absl::Status& cause) const {
  const bool has_run = HasRun();
  // The sinks' places may still be held by what the job itself left on a taskmanager.
  const bool may_be_its_own = has_run && failed_at_ == StartStep::kSinks;
  // What cannot change by trying again is not tried again.
  if (absl::IsFailedPrecondition(cause) && !may_be_its_own) return true;
  if (absl::IsInvalidArgument(cause) || absl::IsDataLoss(cause)) return true;
  if (absl::IsAlreadyExists(cause)) return true;  // another job's, not its own
  // Neither is a first start, for whoever started the job is there to hear of it, but for what the
  // cluster lacks: that comes.
  return !has_run && !absl::IsUnavailable(cause) && failed_at_ != StartStep::kSlots;
}

// To end for a disk that is away would lose the job: its checkpoints come back with the disk.
bool Job::WaitsForCheckpoints() const {
  return HasRun() && failed_at_ == StartStep::kCheckpoints && absl::IsUnavailable(root_cause_);
}

// As the job restarts, but on attempts of its own: those of the job are for its failures.
absl::Duration Job::DelayOfWaiting(absl::Duration now) {
  if (patience_ == nullptr) {
    patience_ = MakeRestartStrategy(description_.restart, description_.seed + 3);
  }
  patience_->OnFailure(now);
  return patience_->CanRestart() ? patience_->Delay(now) : kAwayDelay;
}

void Job::RestartAfter(absl::Duration delay) {
  lifecycle_.Change(JobState::kRestarting, root_cause_);
  ++counts_.restarts;
  restart_timer_ = services_.checkpoints.timers.RunAfter(delay, [this] {
    restart_timer_.reset();
    if (lifecycle_.state() == JobState::kRestarting && after_ == After::kNothing) Start();
  });
}

void Job::Restart() {
  const absl::Duration now = services_.checkpoints.clock.SteadyNow();
  if (unreadable_ != kNoCheckpoint) {
    // Not a failure of the job: it has not run yet, and goes on from an older checkpoint.
    lifecycle_.Change(JobState::kRestarting, root_cause_);
    return Start();
  }
  if (WaitsForCheckpoints()) return RestartAfter(DelayOfWaiting(now));
  restarts_->OnFailure(now);
  if (IsFinal(root_cause_) || !restarts_->CanRestart()) {
    coordinator_.OnShutdown(ShutdownReason::kJobEnded);
    return EndWith(JobState::kFailed, root_cause_);
  }
  RestartAfter(restarts_->Delay(now));
}

void Job::Finish() {
  after_ = After::kNothing;  // what was asked for meanwhile came too late
  coordinator_.OnShutdown(ShutdownReason::kJobEnded);
  services_.slots.Release(description_.id);
  EndWith(JobState::kFinished, absl::OkStatus());
}

void Job::EndWith(JobState state, const absl::Status& cause) {
  if (restart_timer_.has_value()) {
    services_.checkpoints.timers.Cancel(*restart_timer_);
    restart_timer_.reset();
  }
  lifecycle_.Change(state, cause);
}

}  // namespace weir::job
