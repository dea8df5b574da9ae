#include "jobmanager/server/task_manager_client.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <capnp/rpc-twoparty.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/rpc/call_deadline.h"
#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/deployment_codec.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/protocol.h"
#include "common/rpc/wire_values.h"

namespace weir::server {
namespace {

uint32_t TicksOf(const HeartbeatOptions& heartbeat) {
  WEIR_CHECK(heartbeat.interval > absl::ZeroDuration());
  WEIR_CHECK(heartbeat.timeout >= heartbeat.interval);
  return static_cast<uint32_t>(heartbeat.timeout / heartbeat.interval);
}

// OK: `words` may be sent.
absl::Status CheckSize(uint64_t words, JobId job) {
  const uint64_t bytes = words * sizeof(capnp::word);
  if (bytes <= rpc::kPayloadBytesMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the deployment of job ", job.ToString(), " is ", bytes, " bytes, and at most ",
                   rpc::kPayloadBytesMax,
                   " can be sent: lower checkpointing.inline_threshold, so that less "
                   "state travels with it"));
}

absl::StatusOr<rpc::SinkPreparation> ReadPreparation(wire::SinkOutcome::Reader in) {
  if (in.isFailed()) return rpc::ReadError(in.getFailed());
  if (in.getHighestSeen() < 0) {
    return absl::InvalidArgumentError(absl::StrCat("checkpoint id ", in.getHighestSeen()));
  }
  return rpc::SinkPreparation{.highest_seen = CheckpointId{in.getHighestSeen()}};
}

// How a call ended: what the taskmanager said, or that it said nothing.
struct Answer {
  absl::Status status;
  bool is_exception = false;
};

}  // namespace

TaskManagerClient::TaskManagerClient(const rpc::TaskManagerFacts& facts,
                                     wire::TaskManager::Client taskmanager,
                                     HeartbeatOptions heartbeat, TaskManagerClientServices services,
                                     absl::AnyInvocable<void()> gone)
    : id_(facts.id),
      name_(absl::StrCat("taskmanager ", facts.id.ToShortString(), " on ", facts.host)),
      taskmanager_(kj::mv(taskmanager)),
      heartbeat_(heartbeat),
      services_(services),
      gone_(std::move(gone)),
      alive_(std::make_shared<const bool>(true)),
      silence_(TicksOf(heartbeat)),
      calls_(*this) {
}

TaskManagerClient::~TaskManagerClient() noexcept {
  services_.loop.Cancel(timer_);
  const absl::Status cause = absl::UnavailableError(absl::StrCat(name_, " has been let go"));
  while (!preparations_.empty()) DonePreparing(preparations_.begin()->first, cause);
  while (!log_requests_.empty()) DoneReading(log_requests_.begin()->first, cause);
  gone_();
}

kj::Timer& TaskManagerClient::Timer() {
  return services_.loop.io().provider->getTimer();
}

// --- Losing it ---

void TaskManagerClient::Lose(const absl::Status& cause) {
  if (is_lost_) return;
  is_lost_ = true;
  services_.loop.Cancel(timer_);
  services_.loop.mailbox().PostControl([this, cause, alive = std::weak_ptr<const bool>(alive_)] {
    if (!alive.expired()) LoseNow(cause);
  });
}

void TaskManagerClient::LoseNow(const absl::Status& cause) {
  is_lost_ = true;
  services_.loop.Cancel(timer_);
  if (is_told_) return;
  is_told_ = true;
  services_.registrar.OnLost(id_, cause);  // may destroy this
}

void TaskManagerClient::Close(const absl::Status& cause) {
  is_told_ = true;
  if (is_lost_) return;
  is_lost_ = true;
  services_.loop.Cancel(timer_);
  auto request = taskmanager_.dismissRequest();
  rpc::WriteError(cause.ok() ? absl::UnavailableError("the jobmanager lets it go") : cause,
                  request.initCause());
  calls_.add(request.send().ignoreResult());
}

absl::Status TaskManagerClient::CheckOpen() const {
  if (!is_lost_) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(name_, " is lost"));
}

void TaskManagerClient::taskFailed(kj::Exception&& exception) {
  Lose(rpc::FromException(exception, name_));
}

// --- Calls ---

template <class Results>
void TaskManagerClient::Await(capnp::RemotePromise<Results> answer, Refused refused) {
  kj::Promise<absl::Status> outcome = answer.then(
      [](capnp::Response<Results>&& results) { return rpc::ReadOutcome(results.getOutcome()); });
  calls_.add(rpc::WithDeadline(Timer(), rpc::kCallTimeout, kj::mv(outcome))
                 .then(
                     [](absl::Status status) {
                       return Answer{std::move(status), false};
                     },
                     [this](kj::Exception&& exception) {
                       return Answer{rpc::FromException(exception, name_), true};
                     })
                 .then([this, refused = std::move(refused)](const Answer& answered) mutable {
                   if (answered.status.ok()) return;
                   if (answered.is_exception) return OnCallFailed(answered.status, refused);
                   refused(answered.status);
                 }));
}

void TaskManagerClient::OnCallFailed(const absl::Status& cause, Refused& refused) {
  if (absl::IsUnavailable(cause)) return;  // the end of the connection is told for all
  if (absl::IsDeadlineExceeded(cause)) return Lose(cause);
  refused(cause);
}

const checkpoint::Sender* TaskManagerClient::FindTask(AttemptId attempt) const {
  const auto it = tasks_here_.find(attempt);
  return it == tasks_here_.end() || is_lost_ ? nullptr : &it->second;
}

void TaskManagerClient::EndTasks(const std::vector<checkpoint::Sender>& tasks,
                                 const absl::Status& cause) {
  services_.loop.mailbox().PostControl([&events = services_.events, tasks, cause] {
    for (const checkpoint::Sender& task : tasks) events.OnTaskEnded(task, cause);
  });
}

absl::Status TaskManagerClient::Deploy(rpc::JobDeployment deployment) {
  WEIR_RETURN_IF_ERROR(CheckOpen());
  auto request = taskmanager_.deployRequest();
  rpc::WriteDeployment(deployment, id_, request.initDeployment());
  WEIR_RETURN_IF_ERROR(CheckSize(request.totalSize().wordCount, deployment.job));
  std::erase_if(tasks_here_,
                [&deployment](const auto& task) { return task.second.job == deployment.job; });
  std::vector<checkpoint::Sender> tasks;
  for (const rpc::TaskDeployment& task : deployment.tasks) {
    if (task.taskmanager != id_) continue;
    tasks.push_back({deployment.job, deployment.epoch, task.attempt});
    tasks_here_[task.attempt] = tasks.back();
  }
  Await(request.send(), [this, tasks = std::move(tasks)](const absl::Status& cause) {
    LOG(WARNING) << "deployment refused taskmanager=" << id_.ToString() << " cause=" << cause;
    EndTasks(tasks, cause);
  });
  return absl::OkStatus();
}

absl::Status TaskManagerClient::Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) {
  WEIR_RETURN_IF_ERROR(CheckOpen());
  const checkpoint::Sender* task = FindTask(attempt);
  if (task == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("no attempt ", attempt.ToString(), " was given to ", name_));
  }
  auto request = taskmanager_.triggerRequest();
  rpc::WriteTask(*task, request.initTask());
  rpc::WriteBarrier(barrier, request.initBarrier());
  Await(request.send(), [this, sender = *task, id = barrier.id](const absl::Status& cause) {
    const auto reason = absl::IsNotFound(cause) ? checkpoint::FailureReason::kTaskFinished
                                                : checkpoint::FailureReason::kTaskNotReady;
    services_.loop.mailbox().PostControl(
        [&events = services_.events,
         decline = checkpoint::DeclineFacts{sender, id, reason, cause}] {
          events.OnDecline(decline);
        });
  });
  return absl::OkStatus();
}

void TaskManagerClient::NotifyComplete(AttemptId attempt, CheckpointId id) {
  const checkpoint::Sender* task = FindTask(attempt);
  if (task == nullptr) return;
  auto request = taskmanager_.notifyCompleteRequest();
  rpc::WriteTask(*task, request.initTask());
  request.setCheckpoint(ToInt(id));
  Await(request.send(), [this, attempt](const absl::Status& cause) {
    WarnOfRefusal("notifyComplete", attempt, cause);
  });
}

void TaskManagerClient::NotifyAborted(AttemptId attempt, CheckpointId id) {
  const checkpoint::Sender* task = FindTask(attempt);
  if (task == nullptr) return;
  auto request = taskmanager_.notifyAbortedRequest();
  rpc::WriteTask(*task, request.initTask());
  request.setCheckpoint(ToInt(id));
  Await(request.send(), [this, attempt](const absl::Status& cause) {
    WarnOfRefusal("notifyAborted", attempt, cause);
  });
}

void TaskManagerClient::Cancel(AttemptId attempt) {
  const checkpoint::Sender* task = FindTask(attempt);
  if (task == nullptr) return;
  auto request = taskmanager_.cancelRequest();
  rpc::WriteTask(*task, request.initTask());
  Await(request.send(),
        [this, attempt](const absl::Status& cause) { WarnOfRefusal("cancel", attempt, cause); });
}

void TaskManagerClient::WarnOfRefusal(const char* call, AttemptId attempt,
                                      const absl::Status& cause) const {
  LOG(WARNING) << "call refused call=" << call << " taskmanager=" << id_.ToString()
               << " attempt=" << attempt.ToString() << " cause=" << cause;
}

void TaskManagerClient::Release(JobId job) {
  std::erase_if(tasks_here_, [job](const auto& task) { return task.second.job == job; });
  if (is_lost_) return;
  auto request = taskmanager_.releaseRequest();
  rpc::WriteId(job, request.initJob());
  request.setEpoch(epoch_);
  kj::Promise<absl::StatusOr<rpc::TaskManagerReport>> report =
      request.send().then([](auto&& results) { return rpc::ReadReport(results.getReport()); });
  calls_.add(
      rpc::WithDeadline(Timer(), rpc::kCallTimeout, kj::mv(report))
          .then([this](absl::StatusOr<rpc::TaskManagerReport> read) { OnReport(std::move(read)); },
                [this, job](kj::Exception&& exception) {
                  Refused refused = [this, job](const absl::Status& cause) {
                    LOG(WARNING) << "release failed taskmanager=" << id_.ToString()
                                 << " job=" << job.ToString() << " cause=" << cause;
                  };
                  OnCallFailed(rpc::FromException(exception, name_), refused);
                }));
}

// --- Calls whose answer someone waits for ---

void TaskManagerClient::Prepare(const rpc::JobDeployment& deployment, Done done) {
  const uint64_t number = ++last_number_;
  preparations_.emplace(number, std::move(done));
  const absl::Status open = CheckOpen();
  if (!open.ok()) return DonePreparing(number, open);
  auto request = taskmanager_.prepareSinksRequest();
  rpc::WritePreparation(deployment, request.initDeployment());
  const absl::Status fits = CheckSize(request.totalSize().wordCount, deployment.job);
  if (!fits.ok()) return DonePreparing(number, fits);
  kj::Promise<absl::StatusOr<rpc::SinkPreparation>> prepared =
      request.send().then([](auto&& results) { return ReadPreparation(results.getOutcome()); });
  calls_.add(rpc::WithDeadline(Timer(), kPrepareTimeout, kj::mv(prepared))
                 .then(
                     [this, number](absl::StatusOr<rpc::SinkPreparation> read) {
                       DonePreparing(number, std::move(read));
                     },
                     [this, number](kj::Exception&& exception) {
                       DonePreparing(number, rpc::FromException(exception, name_));
                     }));
}

void TaskManagerClient::DonePreparing(uint64_t number,
                                      absl::StatusOr<rpc::SinkPreparation> prepared) {
  const auto it = preparations_.find(number);
  if (it == preparations_.end()) return;
  services_.loop.mailbox().PostControl(
      [done = std::move(it->second), prepared = std::move(prepared)]() mutable {
        done(std::move(prepared));
      });
  preparations_.erase(it);
}

void TaskManagerClient::ReadLogs(const rpc::LogRequest& wanted, LogsDone done) {
  const uint64_t number = ++last_number_;
  log_requests_.emplace(number, std::move(done));
  const absl::Status open = CheckOpen();
  if (!open.ok()) return DoneReading(number, open);
  auto request = taskmanager_.readLogsRequest();
  rpc::WriteLogRequest(wanted, request.initRequest());
  kj::Promise<absl::StatusOr<std::vector<rpc::LogLine>>> lines =
      request.send().then([](auto&& results) { return rpc::ReadLogLines(results.getLines()); });
  calls_.add(rpc::WithDeadline(Timer(), kReadLogsTimeout, kj::mv(lines))
                 .then(
                     [this, number](absl::StatusOr<std::vector<rpc::LogLine>> read) {
                       DoneReading(number, std::move(read));
                     },
                     [this, number](kj::Exception&& exception) {
                       DoneReading(number, rpc::FromException(exception, name_));
                     }));
}

void TaskManagerClient::DoneReading(uint64_t number,
                                    absl::StatusOr<std::vector<rpc::LogLine>> lines) {
  const auto it = log_requests_.find(number);
  if (it == log_requests_.end()) return;
  services_.loop.mailbox().PostControl(
      [done = std::move(it->second), lines = std::move(lines)]() mutable {
        done(std::move(lines));
      });
  log_requests_.erase(it);
}

// --- Heartbeats ---

void TaskManagerClient::Start(uint64_t epoch) {
  epoch_ = epoch;
  OnTick();
}

void TaskManagerClient::OnTick() {
  if (is_lost_) return;
  if (heartbeat_under_way_ && silence_.Tick()) {
    return Lose(absl::DeadlineExceededError(absl::StrCat(
        name_, " has not answered a heartbeat for ", absl::FormatDuration(heartbeat_.timeout))));
  }
  if (!heartbeat_under_way_) SendHeartbeat();
  timer_ = services_.loop.RunAfter(heartbeat_.interval, [this] { OnTick(); });
}

void TaskManagerClient::SendHeartbeat() {
  heartbeat_under_way_ = true;
  auto request = taskmanager_.heartbeatRequest();
  request.setEpoch(epoch_);
  // No deadline of its own: the ticks are one.
  calls_.add(request.send().then(
      [this](auto&& results) {
        heartbeat_under_way_ = false;
        silence_.Heard();
        OnReport(rpc::ReadReport(results.getReport()));
      },
      [this](kj::Exception&& exception) {
        const absl::Status cause = rpc::FromException(exception, name_);
        if (!absl::IsUnavailable(cause)) Lose(cause);
      }));
}

void TaskManagerClient::OnReport(absl::StatusOr<rpc::TaskManagerReport> report) {
  if (!report.ok()) {
    LOG(ERROR) << "report cannot be read taskmanager=" << id_.ToString()
               << " cause=" << report.status();
    return Lose(report.status());
  }
  services_.loop.mailbox().PostControl(
      [this, report = *std::move(report), alive = std::weak_ptr<const bool>(alive_)]() mutable {
        if (!alive.expired() && !is_lost_) services_.registrar.OnReport(id_, std::move(report));
      });
}

}  // namespace weir::server
