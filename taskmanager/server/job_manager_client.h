// JobManagerClient: keeps this taskmanager registered: connects, tries again, and carries what
// tasks report while there is a jobmanager to hear it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/executor.h"
#include "common/base/timer_service.h"
#include "common/fs/file_system.h"
#include "common/rpc/backoff.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/epoch_fence.h"
#include "common/rpc/task_gateway.h"
#include "common/rpc/task_manager_facts.h"
#include "taskmanager/server/job_manager_session.h"
#include "taskmanager/server/task_manager_service.h"

namespace weir::server {

struct JobManagerClientOptions {
  std::string address;  // "host:port" of the jobmanager's RPC
  rpc::BackoffOptions backoff{.initial = absl::Milliseconds(100), .max = absl::Seconds(2)};
  // Between tries after a refusal that a person must see to.
  absl::Duration refused_pause = absl::Seconds(10);
  uint64_t seed = 0;  // of the jitter
};

// All outlive the client.
struct JobManagerClientServices {
  rpc::ControlLoop& loop;
  base::Executor& io;
  fs::FileSystem& files;
};

// Life:      Start() once; Stop() or the destructor ends it. Nothing may report to it any more when
//            it is destroyed.
// Thread:    the control loop's; TaskEvents are told from any.
// Invariant: no session begins between `on_lost` and Resume(): what an earlier jobmanager deployed
//            is gone before another one deploys.
class JobManagerClient final : public rpc::TaskEvents {
 public:
  // The jobmanager is lost, and every task with it: cancel all, and call Resume() when they are
  // gone; that may be inside this call.
  using OnLost = std::function<void(const absl::Status& cause)>;

  JobManagerClient(JobManagerClientOptions options, JobManagerClientServices services);
  ~JobManagerClient() override;

  void Start(rpc::TaskManagerFacts facts, HostedTasks hosted, OnLost on_lost);
  void Resume();
  // Leaves the jobmanager, which notices at once. `on_lost` is not told.
  void Stop();

  bool IsRegistered() const { return state_ == State::kRegistered; }
  // Why it is not registered; OK if it is, or was never tried.
  const absl::Status& cause() const { return cause_; }

  // While there is no jobmanager they are dropped: it regards the attempts as lost.
  void OnTaskRunning(const checkpoint::Sender& sender) override;
  void OnEndOfData(const checkpoint::Sender& sender) override;
  void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) override;
  void OnAck(checkpoint::AckFacts ack) override;
  void OnDecline(const checkpoint::DeclineFacts& decline) override;

 private:
  enum class State : uint8_t { kIdle, kJoining, kRegistered, kLosing, kWaiting, kStopped };

  void Join();
  void OnRegistered(uint64_t epoch);
  void OnEnded(SessionEnd end, const absl::Status& cause);
  void TryAgainAfter(absl::Duration delay);
  // Logs what keeps it from being registered, once for as long as it stays the same.
  void Announce(SessionEnd end, absl::Duration delay);
  void Post(absl::AnyInvocable<void(JobManagerSession& session)> send);

  const JobManagerClientOptions options_;
  const JobManagerClientServices services_;
  const std::shared_ptr<const bool> alive_;  // held weakly by mails under way
  rpc::EpochFence fence_;
  rpc::Backoff backoff_;
  rpc::TaskManagerFacts facts_;
  std::optional<HostedTasks> hosted_;
  OnLost on_lost_;
  State state_ = State::kIdle;
  absl::Status cause_;
  std::string announced_;
  base::TimerId timer_{0};
  std::unique_ptr<JobManagerSession> session_;
};

}  // namespace weir::server
