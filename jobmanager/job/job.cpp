#include "jobmanager/job/job.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/state_assignment.h"

namespace weir::job {
namespace {

using checkpoint::ShutdownReason;
using coordination::CompletedCheckpoint;

checkpoint::CoordinatorSettings SettingsOf(const graph::CheckpointingOptions& options) {
  checkpoint::CoordinatorSettings settings;
  if (options.interval.has_value()) settings.interval = *options.interval;
  settings.timeout = options.timeout;
  settings.min_pause = options.min_pause;
  settings.max_concurrent = static_cast<uint32_t>(options.max_concurrent);
  settings.tolerable_failures = static_cast<int32_t>(options.tolerable_failures);
  return settings;
}

}  // namespace

Job::Job(JobDescription description, JobServices services)
    : description_(std::move(description)),
      services_(services),
      lifecycle_(description_.id, description_.plan->name, services.checkpoints.clock),
      ids_(description_.seed),
      restarts_(MakeRestartStrategy(description_.plan->settings.restart, description_.seed + 1)),
      coordinator_(MakeJobFacts(description_.id, description_.epoch, *description_.plan,
                                *description_.graph),
                   SettingsOf(description_.plan->settings.checkpointing), kNoCheckpoint,
                   description_.seed + 2, services.checkpoints, *this),
      self_(std::make_shared<Job*>(this)) {
}

Job::~Job() {
  if (restart_timer_.has_value()) services_.checkpoints.timers.Cancel(*restart_timer_);
}

template <class Result>
void Job::RunIo(absl::AnyInvocable<Result()> work, absl::AnyInvocable<void(Result)> done) {
  services_.checkpoints.io.Run([work = std::move(work), done = std::move(done),
                                &loop = services_.checkpoints.loop,
                                self = std::weak_ptr<Job*>(self_)]() mutable {
    Result result = work();
    loop.PostControl([result = std::move(result), done = std::move(done), self]() mutable {
      if (!self.expired()) done(std::move(result));
    });
  });
}

void Job::Start() {
  WEIR_CHECK(!execution_.has_value() || execution_->live_count() == 0);
  deploying_ = true;
  ReadNewest();
}

void Job::ReadNewest() {
  if (recovered_ && unreadable_ == kNoCheckpoint) {
    return PrepareSinks(services_.checkpoints.store.Latest());
  }
  // Every sink there is either commits nothing outside or can take back what it committed above
  // the restored id (the names of its files carry the id), so an older checkpoint may be used.
  const coordination::RecoverOptions options{.fallback = coordination::Fallback::kAllowed,
                                             .below = unreadable_};
  using Result = absl::StatusOr<coordination::Recovered>;
  RunIo<Result>(
      [&store = services_.checkpoints.store, &counter = services_.checkpoints.counter,
       options]() -> Result {
        WEIR_RETURN_IF_ERROR(counter.Start());
        return store.Recover(options);
      },
      [this](Result recovered) {
        if (recovered.ok()) return OnRecovered(*recovered);
        unreadable_ = kNoCheckpoint;  // nothing older can be used either: this is the end
        deploying_ = false;
        Fail(recovered.status());
      });
}

void Job::OnRecovered(const coordination::Recovered& recovered) {
  recovered_ = true;
  unreadable_ = kNoCheckpoint;
  for (const coordination::SkippedCheckpoint& skipped : recovered.skipped) {
    ++counts_.fallbacks;
    LOG(WARNING) << "checkpoint unreadable, using an older one checkpoint=" << ToInt(skipped.id)
                 << " location=" << skipped.location << " cause=" << skipped.cause;
  }
  PrepareSinks(recovered.newest);
}

absl::StatusOr<rpc::JobDeployment> Job::MakeDeployment(
    const std::optional<CompletedCheckpoint>& newest) {
  const graph::Plan& plan = *description_.plan;
  rpc::JobDeployment deployment;
  deployment.job = description_.id;
  deployment.epoch = description_.epoch;
  deployment.generation = ids_.Make<AttemptId>().low;
  deployment.plan = description_.plan;
  deployment.graph = description_.graph;
  checkpoint::StateAssignment assignment;
  if (newest.has_value()) {
    std::vector<checkpoint::NewOperator> operators;
    for (const graph::PlanNode& node : plan.nodes) {
      operators.push_back({node.uid, node.parallelism,
                           static_cast<uint32_t>(plan.settings.max_parallelism),
                           node.state_signature});
    }
    WEIR_ASSIGN_OR_RETURN(assignment, checkpoint::AssignState(*newest->metadata, operators, {}));
    deployment.restored = newest->id;
    deployment.restored_location = newest->location;
  }
  for (const Attempt& attempt : execution_->attempts()) {
    rpc::TaskDeployment task{
        .attempt = attempt.id, .vertex = attempt.vertex, .subtask = attempt.subtask};
    for (const graph::NodeIndex node : description_.graph->vertices[attempt.vertex].chain) {
      const auto it = assignment.find(plan.nodes[node].uid);
      if (it != assignment.end()) task.states[it->first] = it->second[attempt.subtask].state;
    }
    deployment.tasks.push_back(std::move(task));
  }
  return deployment;
}

void Job::PrepareSinks(std::optional<CompletedCheckpoint> newest) {
  if (after_ != After::kNothing) {  // cancelled or suspended meanwhile
    deploying_ = false;
    return MaybeSettle();
  }
  execution_.emplace(*description_.graph, ids_);
  absl::StatusOr<rpc::JobDeployment> deployment = MakeDeployment(newest);
  if (!deployment.ok()) {
    execution_.reset();
    deploying_ = false;
    return Fail(deployment.status());
  }
  auto shared = std::make_shared<rpc::JobDeployment>(*std::move(deployment));
  services_.sinks.Prepare(*shared, [this, shared, self = std::weak_ptr<Job*>(self_)](
                                       absl::StatusOr<rpc::SinkPreparation> prepared) {
    if (self.expired()) return;
    if (prepared.ok()) return DeployAbove(prepared->highest_seen, std::move(*shared));
    execution_.reset();
    deploying_ = false;
    Fail(prepared.status());
  });
}

void Job::DeployAbove(CheckpointId highest_seen, rpc::JobDeployment deployment) {
  const CheckpointId highest = std::max(highest_seen, deployment.restored);
  auto shared = std::make_shared<rpc::JobDeployment>(std::move(deployment));
  RunIo<absl::Status>(
      [&counter = services_.checkpoints.counter, highest]() -> absl::Status {
        return counter.RaiseTo(CheckpointId{ToInt(highest) + 1});
      },
      [this, shared](absl::Status raised) {
        deploying_ = false;
        if (raised.ok() && after_ == After::kNothing) return Deploy(std::move(*shared));
        execution_.reset();
        if (!raised.ok()) return Fail(raised);
        MaybeSettle();
      });
}

void Job::Deploy(rpc::JobDeployment deployment) {
  quiesced_ = false;
  counts_.has_run = true;
  counts_.restored = deployment.restored;
  if (deployment.restored != kNoCheckpoint) {
    LOG(INFO) << "job restored job=" << description_.id.ToString()
              << " checkpoint=" << ToInt(deployment.restored);
  }
  coordinator_.OnDeployed(execution_->Facts());
  if (lifecycle_.state() != JobState::kRunning) {
    lifecycle_.Change(JobState::kRunning, absl::OkStatus());
  }
  coordinator_.OnJobRunning();
  const absl::Status deployed = services_.checkpoints.tasks.Deploy(std::move(deployment));
  if (deployed.ok()) return;
  for (const Attempt& attempt : std::vector<Attempt>(execution_->attempts())) {
    execution_->OnEnded(attempt.id, deployed);
  }
  Fail(deployed);
}

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
  const bool was_running =
      execution_->Find(sender.attempt)->state == checkpoint::TaskState::kRunning;
  if (!execution_->OnEnded(sender.attempt, status)) return;
  if (absl::IsDataLoss(status) && !was_running) unreadable_ = counts_.restored;
  coordinator_.OnTaskState(sender.attempt, status.ok() ? checkpoint::TaskState::kFinished
                                                       : checkpoint::TaskState::kFailed);
  if (!status.ok() && lifecycle_.state() == JobState::kRunning && after_ == After::kNothing) {
    return Fail(status);
  }
  if (execution_->AllFinished() && lifecycle_.state() == JobState::kRunning) return Finish();
  MaybeSettle();
}

void Job::OnCheckpointingFailed(const absl::Status& cause) {
  if (lifecycle_.state() == JobState::kRunning && after_ == After::kNothing) Fail(cause);
}

void Job::OnQuiesced() {
  quiesced_ = true;
  MaybeSettle();
}

void Job::CancelTasks() {
  if (!execution_.has_value()) return;
  for (const Attempt& attempt : execution_->attempts()) {
    if (!attempt.has_ended) services_.checkpoints.tasks.Cancel(attempt.id);
  }
}

void Job::Fail(const absl::Status& cause) {
  root_cause_ = cause;
  LOG(WARNING) << "job failure job=" << description_.id.ToString() << " cause=" << cause;
  lifecycle_.Change(JobState::kFailing, cause);
  after_ = After::kRestart;
  if (!quiesced_) coordinator_.OnRestart(std::string(cause.message()));
  CancelTasks();
  MaybeSettle();
}

void Job::Cancel() {
  if (HasEnded(lifecycle_.state()) || after_ == After::kCanceled) return;
  lifecycle_.Change(JobState::kCancelling, absl::CancelledError("asked to"));
  after_ = After::kCanceled;
  if (!quiesced_) coordinator_.OnRestart("the job is cancelled");
  CancelTasks();
  MaybeSettle();
}

void Job::Suspend() {
  if (HasEnded(lifecycle_.state()) || after_ == After::kSuspended) return;
  after_ = After::kSuspended;
  if (!quiesced_) coordinator_.OnRestart("this process stops");
  CancelTasks();
  MaybeSettle();
}

// Once nothing of the execution is left: what was asked for last happens.
void Job::MaybeSettle() {
  if (after_ == After::kNothing || deploying_ || !quiesced_) return;
  if (execution_.has_value() && execution_->live_count() > 0) return;
  switch (std::exchange(after_, After::kNothing)) {
    case After::kRestart:
      return Restart();
    case After::kCanceled:
      coordinator_.OnShutdown(ShutdownReason::kJobEnded);
      return EndWith(JobState::kCanceled, absl::CancelledError("asked to"));
    case After::kSuspended:
      coordinator_.OnShutdown(ShutdownReason::kLeadershipLost);
      return EndWith(JobState::kSuspended, absl::OkStatus());
    case After::kNothing:
      return;
  }
}

void Job::Restart() {
  const absl::Duration now = services_.checkpoints.clock.SteadyNow();
  if (unreadable_ != kNoCheckpoint) {
    // Not a failure of the job: it has not run yet, and goes on from an older checkpoint.
    lifecycle_.Change(JobState::kRestarting, root_cause_);
    return Start();
  }
  // What cannot change by trying again is not tried again, and neither is a first start: whoever
  // started the job is there to hear of it.
  const bool is_final = !counts_.has_run || absl::IsFailedPrecondition(root_cause_) ||
                        absl::IsInvalidArgument(root_cause_) || absl::IsDataLoss(root_cause_);
  restarts_->OnFailure(now);
  if (is_final || !restarts_->CanRestart()) {
    coordinator_.OnShutdown(ShutdownReason::kJobEnded);
    return EndWith(JobState::kFailed, root_cause_);
  }
  lifecycle_.Change(JobState::kRestarting, root_cause_);
  ++counts_.restarts;
  restart_timer_ = services_.checkpoints.timers.RunAfter(restarts_->Delay(now), [this] {
    restart_timer_.reset();
    if (lifecycle_.state() == JobState::kRestarting && after_ == After::kNothing) Start();
  });
}

void Job::Finish() {
  coordinator_.OnShutdown(ShutdownReason::kJobEnded);
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
