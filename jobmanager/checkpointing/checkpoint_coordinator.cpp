#include "jobmanager/checkpointing/checkpoint_coordinator.h"

#include <optional>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

namespace weir::checkpointing {

using checkpoint::StoreOutcome;

CheckpointCoordinator::CheckpointCoordinator(checkpoint::JobFacts job,
                                             checkpoint::CoordinatorSettings settings,
                                             CheckpointId restored, uint64_t seed,
                                             CheckpointServices services, CheckpointOwner& owner)
    : services_(services),
      owner_(owner),
      core_(std::move(job), settings, restored, seed),
      store_io_(services.io),
      self_(std::make_shared<CheckpointCoordinator*>(this)) {
}

CheckpointCoordinator::~CheckpointCoordinator() {
  for (const auto& [key, timer] : timers_) services_.timers.Cancel(timer);
  for (auto& [token, done] : asked_) done(absl::UnavailableError("the job has ended here"));
}

checkpoint::Now CheckpointCoordinator::Now() const {
  return {services_.clock.SteadyNow(), services_.clock.WallNow()};
}

void CheckpointCoordinator::Execute(checkpoint::Actions actions) {
  for (checkpoint::Action& action : actions) waiting_.push_back(std::move(action));
  if (executing_) return;
  executing_ = true;
  while (!waiting_.empty()) {
    checkpoint::Action action = std::move(waiting_.front());
    waiting_.pop_front();
    std::visit([this](auto& one) { Do(std::move(one)); }, action);
  }
  executing_ = false;
}

template <class Result>
void CheckpointCoordinator::RunOn(base::Executor& io, absl::AnyInvocable<Result()> work,
                                  absl::AnyInvocable<void(Result)> done) {
  io.Run([work = std::move(work), done = std::move(done), &loop = services_.loop,
          self = std::weak_ptr<CheckpointCoordinator*>(self_)]() mutable {
    Result result = work();
    loop.PostControl([result = std::move(result), done = std::move(done), self]() mutable {
      if (!self.expired()) done(std::move(result));
    });
  });
}

void CheckpointCoordinator::OnDeployed(const std::vector<checkpoint::AttemptFacts>& attempts) {
  Execute(core_.OnDeployed(attempts, Now()));
}
void CheckpointCoordinator::OnTaskState(AttemptId attempt, checkpoint::TaskState state) {
  Execute(core_.OnTaskState(attempt, state, Now()));
}
void CheckpointCoordinator::OnEndOfData(AttemptId attempt) {
  Execute(core_.OnEndOfData(attempt, Now()));
}
void CheckpointCoordinator::OnJobRunning() {
  Execute(core_.OnJobRunning(Now()));
}
void CheckpointCoordinator::OnRestart(const std::string& cause) {
  Execute(core_.OnJobNotRunning(Now()));
  Execute(core_.OnRestart(cause, Now()));
}
void CheckpointCoordinator::OnShutdown(checkpoint::ShutdownReason reason) {
  Execute(core_.OnJobNotRunning(Now()));
  Execute(core_.OnShutdown(reason, Now()));
}
void CheckpointCoordinator::OnAck(checkpoint::AckFacts ack) {
  Execute(std::move(core_.OnAck(std::move(ack), Now()).actions));
}
void CheckpointCoordinator::OnDecline(const checkpoint::DeclineFacts& decline) {
  Execute(core_.OnDecline(decline, Now()));
}

void CheckpointCoordinator::Trigger(TriggerDone done) {
  const checkpoint::RequestToken token{++last_token_};
  asked_[token] = std::move(done);
  Execute(core_.OnUserRequest({.token = token}, Now()));
}

void CheckpointCoordinator::Do(checkpoint::ArmTimer action) {
  const TimerKey key{action.kind, action.id};
  Do(checkpoint::CancelTimer{action.kind, action.id});
  timers_[key] = services_.timers.RunAfter(action.at - services_.clock.SteadyNow(), [this, key] {
    timers_.erase(key);
    Execute(core_.OnTimer(key.first, key.second, Now()));
  });
}

void CheckpointCoordinator::Do(checkpoint::CancelTimer action) {
  const auto it = timers_.find({action.kind, action.id});
  if (it == timers_.end()) return;
  services_.timers.Cancel(it->second);
  timers_.erase(it);
}

void CheckpointCoordinator::Do(const checkpoint::FetchId& action) {
  RunOn<absl::StatusOr<checkpoint::IdFacts>>(
      services_.io,
      [&counter = services_.counter,
       &storage = services_.storage]() -> absl::StatusOr<checkpoint::IdFacts> {
        const absl::StatusOr<CheckpointId> id = counter.GetAndIncrement();
        if (!id.ok()) return id.status();
        const absl::StatusOr<std::string> location = storage.MakeLocation(*id);
        if (!location.ok()) return location.status();
        return checkpoint::IdFacts{*id, *location};
      },
      [this](absl::StatusOr<checkpoint::IdFacts> fetched) {
        Execute(fetched.ok() ? core_.OnIdFetched(*fetched, Now())
                             : core_.OnIdFetchFailed(fetched.status(), Now()));
      });
}

void CheckpointCoordinator::Do(const checkpoint::RemoveLocation& action) {
  services_.io.Run([&storage = services_.storage, action] {
    const absl::Status removed = storage.RemoveLocation(action.location);
    if (removed.ok()) return;
    LOG(WARNING) << "checkpoint location not removed checkpoint=" << ToInt(action.id)
                 << " location=" << action.location << " cause=" << removed;
  });
}

void CheckpointCoordinator::Do(const checkpoint::CallMasterHooks& action) {
  // No hook is registered by this jobmanager: the core asks only for those of JobFacts.
  Execute(core_.OnMasterHooksDone(action.id, std::vector<checkpoint::MasterHookState>{}, Now()));
}

void CheckpointCoordinator::Do(const checkpoint::SendTrigger& action) {
  const absl::Status sent = services_.tasks.Trigger(action.attempt, action.barrier);
  if (sent.ok()) return;
  Execute(core_.OnTriggerFailed(action.attempt, action.barrier.id, sent, Now()));
}

void CheckpointCoordinator::Do(checkpoint::WriteMetadataAndStore action) {
  const CheckpointId id = action.metadata.id;
  RunOn<coordination::AddResult>(
      store_io_,
      [&storage = services_.storage, &store = services_.store,
       action = std::move(action)]() mutable -> coordination::AddResult {
        if (action.enters_store) return store.Add(action.location, std::move(action.metadata));
        const absl::Status written = storage.WriteMetadata(action.location, action.metadata);
        return {written.ok() ? StoreOutcome::kStored : StoreOutcome::kRefused, written};
      },
      [this, id](const coordination::AddResult& result) {
        Execute(core_.OnStoreResult(id, result.outcome, result.cause, Now()));
      });
}

void CheckpointCoordinator::Do(checkpoint::ReadStoreBack action) {
  RunOn<coordination::AddResult>(
      store_io_, [&store = services_.store, id = action.id] { return store.ReadBack(id); },
      [this, id = action.id](const coordination::AddResult& result) {
        Execute(core_.OnStoreResult(id, result.outcome, result.cause, Now()));
      });
}

void CheckpointCoordinator::Do(checkpoint::NotifyComplete action) {
  services_.tasks.NotifyComplete(action.attempt, action.id);
}

void CheckpointCoordinator::Do(checkpoint::NotifyAborted action) {
  services_.tasks.NotifyAborted(action.attempt, action.id);
}

void CheckpointCoordinator::Do(checkpoint::DiscardState action) {
  services_.io.Run([&storage = services_.storage, action = std::move(action)] {
    const absl::Status discarded = storage.Discard(action.location, action.streams);
    if (discarded.ok()) return;
    LOG(WARNING) << "checkpoint state not discarded checkpoint=" << ToInt(action.id)
                 << " cause=" << discarded;
  });
}

void CheckpointCoordinator::Do(checkpoint::RequestEnded action) {
  auto asked = asked_.extract(action.token);
  if (asked.empty()) return;
  if (action.status.ok()) return asked.mapped()(action.id);
  const StringView reason =
      action.reason.has_value() ? checkpoint::ToString(*action.reason) : "unknown";
  asked.mapped()(absl::Status(action.status.code(), absl::StrCat("no checkpoint was made (", reason,
                                                                 "): ", action.status.message())));
}

void CheckpointCoordinator::Do(const checkpoint::FailJob& action) {
  owner_.OnCheckpointingFailed(absl::Status(
      action.cause.ok() ? absl::StatusCode::kInternal : action.cause.code(),
      absl::StrCat("too many checkpoints failed in a row, the last with ",
                   checkpoint::ToString(action.reason), ": ", action.cause.message())));
}

void CheckpointCoordinator::Do(const checkpoint::GiveUpLeadership& action) {
  owner_.OnLeadershipLost(absl::AbortedError(absl::StrCat(
      "whether checkpoint ", ToInt(action.id), " is stored stays unknown: ", action.cause)));
}

void CheckpointCoordinator::Do(checkpoint::Quiesced action) {
  owner_.OnQuiesced();
}

void CheckpointCoordinator::Do(const checkpoint::LogLine& action) {
  switch (action.severity) {
    case checkpoint::LogSeverity::kInfo:
      LOG(INFO) << action.text;
      return;
    case checkpoint::LogSeverity::kWarning:
      LOG(WARNING) << action.text;
      return;
    case checkpoint::LogSeverity::kError:
      LOG(ERROR) << action.text;
      return;
  }
}

}  // namespace weir::checkpointing
