#include "taskmanager/server/task_manager_service.h"

#include <utility>

#include "common/base/status_macros.h"
#include "common/rpc/checkpoint_codec.h"
#include "common/rpc/deployment_codec.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/wire_values.h"

namespace weir::server {
namespace {

using Prepared = absl::StatusOr<rpc::SinkPreparation>;

// For calls without an outcome in their answer: the connection is as good as closed to them.
kj::Exception ToException(const absl::Status& status) {
  return {kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
          kj::heapString(std::string(status.message()).c_str())};
}

void WritePrepared(const Prepared& prepared, wire::SinkOutcome::Builder out) {
  if (prepared.ok()) {
    out.setHighestSeen(ToInt(prepared->highest_seen));
  } else {
    rpc::WriteError(prepared.status(), out.initFailed());
  }
}

}  // namespace

// Preparations go through the I/O pool; a number names one, because what KJ owns must neither
// move to nor end on another thread.
struct TaskManagerService::Preparations {
  std::map<uint64_t, kj::Own<kj::PromiseFulfiller<Prepared>>> waiting;
  uint64_t last_number = 0;
};

TaskManagerService::TaskManagerService(const HostedTasks& hosted, rpc::EpochFence& fence,
                                       ClusterId cluster, JobManagerListener& listener,
                                       std::weak_ptr<const bool> alive)
    : hosted_(hosted),
      fence_(fence),
      cluster_(cluster),
      listener_(listener),
      alive_(std::move(alive)),
      preparations_(std::make_shared<Preparations>()) {
}

absl::Status TaskManagerService::Admit() {
  if (alive_.expired()) {
    return absl::UnavailableError("the taskmanager has ended this connection");
  }
  listener_.OnHeard();
  return absl::OkStatus();
}

absl::Status TaskManagerService::Admit(uint64_t epoch) {
  WEIR_RETURN_IF_ERROR(Admit());
  return fence_.Admit(cluster_, epoch);
}

absl::StatusOr<checkpoint::Sender> TaskManagerService::ReadFenced(wire::Task::Reader task) {
  WEIR_ASSIGN_OR_RETURN(checkpoint::Sender read, rpc::ReadTask(task));
  WEIR_RETURN_IF_ERROR(Admit(read.epoch));
  return read;
}

kj::Promise<void> TaskManagerService::deploy(DeployContext context) {
  const auto in = context.getParams().getDeployment();
  const auto deploy = [&]() -> absl::Status {
    WEIR_RETURN_IF_ERROR(Admit(in.getEpoch()));
    WEIR_ASSIGN_OR_RETURN(rpc::JobDeployment deployment, rpc::ReadDeployment(in));
    return hosted_.tasks.Deploy(std::move(deployment));
  };
  rpc::WriteOutcome(deploy(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::prepareSinks(PrepareSinksContext context) {
  const auto in = context.getParams().getDeployment();
  const auto read = [&]() -> absl::StatusOr<rpc::JobDeployment> {
    WEIR_RETURN_IF_ERROR(Admit(in.getEpoch()));
    return rpc::ReadDeployment(in);
  };
  const absl::StatusOr<rpc::JobDeployment> deployment = read();
  if (!deployment.ok()) {
    WritePrepared(deployment.status(), context.getResults().initOutcome());
    return kj::READY_NOW;
  }
  auto ready = kj::newPromiseAndFulfiller<Prepared>();
  const uint64_t number = ++preparations_->last_number;
  preparations_->waiting.emplace(number, kj::mv(ready.fulfiller));
  hosted_.sinks.Prepare(
      *deployment, [weak = std::weak_ptr<Preparations>(preparations_), number](Prepared prepared) {
        const std::shared_ptr<Preparations> preparations = weak.lock();
        if (preparations == nullptr) return;
        const auto it = preparations->waiting.find(number);
        it->second->fulfill(std::move(prepared));
        preparations->waiting.erase(it);
      });
  return ready.promise.then([context](const Prepared& prepared) mutable {
    WritePrepared(prepared, context.getResults().initOutcome());
  });
}

kj::Promise<void> TaskManagerService::trigger(TriggerContext context) {
  const auto params = context.getParams();
  const auto trigger = [&]() -> absl::Status {
    WEIR_ASSIGN_OR_RETURN(const checkpoint::Sender task, ReadFenced(params.getTask()));
    WEIR_ASSIGN_OR_RETURN(const checkpoint::Barrier barrier, rpc::ReadBarrier(params.getBarrier()));
    return hosted_.tasks.Trigger(task.attempt, barrier);
  };
  rpc::WriteOutcome(trigger(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::notifyComplete(NotifyCompleteContext context) {
  const auto params = context.getParams();
  const auto notify = [&]() -> absl::Status {
    WEIR_ASSIGN_OR_RETURN(const checkpoint::Sender task, ReadFenced(params.getTask()));
    WEIR_ASSIGN_OR_RETURN(const CheckpointId id, rpc::ReadCheckpointId(params.getCheckpoint()));
    hosted_.tasks.NotifyComplete(task.attempt, id);
    return absl::OkStatus();
  };
  rpc::WriteOutcome(notify(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::notifyAborted(NotifyAbortedContext context) {
  const auto params = context.getParams();
  const auto notify = [&]() -> absl::Status {
    WEIR_ASSIGN_OR_RETURN(const checkpoint::Sender task, ReadFenced(params.getTask()));
    WEIR_ASSIGN_OR_RETURN(const CheckpointId id, rpc::ReadCheckpointId(params.getCheckpoint()));
    hosted_.tasks.NotifyAborted(task.attempt, id);
    return absl::OkStatus();
  };
  rpc::WriteOutcome(notify(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::cancel(CancelContext context) {
  const absl::StatusOr<checkpoint::Sender> task = ReadFenced(context.getParams().getTask());
  if (task.ok()) hosted_.tasks.Cancel(task->attempt);
  rpc::WriteOutcome(task.status(), context.getResults().initOutcome());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::release(ReleaseContext context) {
  const auto params = context.getParams();
  const absl::Status admitted = Admit(params.getEpoch());
  if (!admitted.ok()) return ToException(admitted);
  // First the report: with the job go its counters.
  rpc::WriteReport(hosted_.report(), context.getResults().initReport());
  hosted_.tasks.Release(rpc::ReadId<JobId>(params.getJob()));
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::heartbeat(HeartbeatContext context) {
  const absl::Status admitted = Admit(context.getParams().getEpoch());
  if (!admitted.ok()) return ToException(admitted);
  rpc::WriteReport(hosted_.report(), context.getResults().initReport());
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::readLogs(ReadLogsContext context) {
  const auto read = [&]() -> absl::StatusOr<rpc::LogRequest> {
    WEIR_RETURN_IF_ERROR(Admit());
    return rpc::ReadLogRequest(context.getParams().getRequest());
  };
  const absl::StatusOr<rpc::LogRequest> request = read();
  if (!request.ok()) return ToException(request.status());
  std::vector<rpc::LogLine> lines = hosted_.logs(*request);
  if (lines.size() > request->lines_max) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(request->lines_max));
  }
  lines = rpc::FittingLines(std::move(lines));
  rpc::WriteLogLines(lines, context.getResults().initLines(rpc::SizeOf(lines)));
  return kj::READY_NOW;
}

kj::Promise<void> TaskManagerService::dismiss(DismissContext context) {
  if (!Admit().ok()) return kj::READY_NOW;
  listener_.OnDismissed(rpc::ReadError(context.getParams().getCause()));
  return kj::READY_NOW;
}

}  // namespace weir::server
