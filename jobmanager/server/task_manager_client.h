// TaskManagerClient: a registered taskmanager over its connection: sends what its jobs are told,
// and heartbeats to learn whether it is there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/time/time.h>
#include <kj/async.h>
#include <kj/timer.h>

#include "common/base/ids.h"
#include "common/base/timer_service.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/silence_counter.h"
#include "common/rpc/task_gateway.h"
#include "common/rpc/task_manager_facts.h"
#include "jobmanager/resources/task_manager_link.h"
#include "jobmanager/resources/task_manager_registrar.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::server {

struct HeartbeatOptions {
  absl::Duration interval = rpc::kHeartbeatInterval;
  absl::Duration timeout = rpc::kHeartbeatTimeout;  // at least the interval
};

// All outlive the client.
struct TaskManagerClientServices {
  rpc::ControlLoop& loop;
  rpc::TaskEvents& events;
  resources::TaskManagerRegistrar& registrar;
};

// How long the taskmanager may take to settle sinks, which lists and removes files.
inline constexpr absl::Duration kPrepareTimeout = absl::Minutes(5);
inline constexpr absl::Duration kReadLogsTimeout = absl::Seconds(10);

// Life:      made for TaskManagerRegistrar::Register(), which owns it from then on.
// Thread:    the control loop's.
// Invariant: everything the registrar or a caller is told comes from the loop's mailbox, where this
//            may be destroyed.
class TaskManagerClient final : public resources::TaskManagerLink,
                                private kj::TaskSet::ErrorHandler {
 public:
  // `gone` runs in the destructor: whoever owns the connection may end it.
  TaskManagerClient(const rpc::TaskManagerFacts& facts, wire::TaskManager::Client taskmanager,
                    HeartbeatOptions heartbeat, TaskManagerClientServices services,
                    absl::AnyInvocable<void()> gone);
  ~TaskManagerClient() noexcept override;

  TaskManagerId id() const { return id_; }
  // Begins with heartbeats. Once.
  void Start(uint64_t epoch);
  // Tells the registrar of the loss, once: soon, or inside the call, which may destroy this.
  void Lose(const absl::Status& cause);
  void LoseNow(const absl::Status& cause);

  absl::Status Deploy(rpc::JobDeployment deployment) override;
  absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) override;
  void NotifyComplete(AttemptId attempt, CheckpointId id) override;
  void NotifyAborted(AttemptId attempt, CheckpointId id) override;
  void Cancel(AttemptId attempt) override;
  void Release(JobId job) override;
  void Prepare(const rpc::JobDeployment& deployment, Done done) override;
  void ReadLogs(const rpc::LogRequest& request, LogsDone done) override;
  void Close(const absl::Status& cause) override;

 private:
  using Refused = absl::AnyInvocable<void(const absl::Status& cause)>;

  kj::Timer& Timer();
  absl::Status CheckOpen() const;
  // Null: not deployed here.
  const checkpoint::Sender* FindTask(AttemptId attempt) const;
  // Sees to the answer of a call: `refused` gets what it refuses, and what failed without the
  // connection having ended. An answer that is overdue means that the taskmanager is lost.
  template <class Results>
  void Await(capnp::RemotePromise<Results> answer, Refused refused);
  void OnCallFailed(const absl::Status& cause, Refused& refused);
  void WarnOfRefusal(const char* call, AttemptId attempt, const absl::Status& cause) const;
  void EndTasks(const std::vector<checkpoint::Sender>& tasks, const absl::Status& cause);
  void DonePreparing(uint64_t number, absl::StatusOr<rpc::SinkPreparation> prepared);
  void DoneReading(uint64_t number, absl::StatusOr<std::vector<rpc::LogLine>> lines);
  void OnTick();
  void SendHeartbeat();
  void OnReport(absl::StatusOr<rpc::TaskManagerReport> report);
  void taskFailed(kj::Exception&& exception) override;

  const TaskManagerId id_;
  const std::string name_;  // "taskmanager 1a2b3c4d on worker-7"
  wire::TaskManager::Client taskmanager_;
  const HeartbeatOptions heartbeat_;
  const TaskManagerClientServices services_;
  absl::AnyInvocable<void()> gone_;
  const std::shared_ptr<const bool> alive_;  // held weakly by mails under way
  uint64_t epoch_ = 0;
  bool is_lost_ = false;  // no call goes out any more
  bool is_told_ = false;  // the registrar has been told, or does not want to be
  std::map<AttemptId, checkpoint::Sender> tasks_here_;  // until their job is released
  uint64_t last_number_ = 0;
  std::map<uint64_t, Done> preparations_;
  std::map<uint64_t, LogsDone> log_requests_;
  rpc::SilenceCounter silence_;
  bool heartbeat_under_way_ = false;
  base::TimerId timer_{0};
  kj::TaskSet calls_;
};

}  // namespace weir::server
