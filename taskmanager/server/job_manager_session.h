// JobManagerSession: one connection to a jobmanager: connect, greet, read the probe, register, and
// from then on carry what tasks report until it ends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <kj/async.h>
#include <kj/timer.h>

#include "common/base/cluster_id.h"
#include "common/base/executor.h"
#include "common/base/timer_service.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/fs/file_system.h"
#include "common/rpc/client_connection.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/epoch_fence.h"
#include "common/rpc/silence_counter.h"
#include "common/rpc/task_manager_facts.h"
#include "schemas/rpc/job_manager.capnp.h"
#include "taskmanager/server/task_manager_service.h"

namespace weir::server {

// All outlive the session.
struct JobManagerSessionServices {
  rpc::ControlLoop& loop;
  base::Executor& io;  // reads the probe
  fs::FileSystem& files;
  rpc::EpochFence& fence;
  const HostedTasks& hosted;
};

enum class SessionEnd : uint8_t {
  kUnreachable,  // never got as far as an answer to the registration
  kRefused,      // the jobmanager does not take this taskmanager in
  kLost,         // tasks may have been deployed: they must go
};

// Life:      made to connect; ends once and stays ended. Destroying it closes the connection.
// Thread:    the control loop's.
// Invariant: the callbacks come from the loop's mailbox, where this may be destroyed: `registered`
//            at most once, `ended` at most once and last.
class JobManagerSession final : private JobManagerListener, private kj::TaskSet::ErrorHandler {
 public:
  struct Callbacks {
    std::function<void(uint64_t epoch)> registered;
    std::function<void(SessionEnd end, const absl::Status& cause)> ended;
  };

  JobManagerSession(const std::string& address, const rpc::TaskManagerFacts& facts,
                    JobManagerSessionServices services, Callbacks callbacks);
  ~JobManagerSession() noexcept override;

  // Events of tasks, in order. Dropped before the greeting and after the end.
  void SendRunning(const checkpoint::Sender& sender);
  void SendEndOfData(const checkpoint::Sender& sender);
  void SendEnded(const checkpoint::Sender& sender, const absl::Status& status);
  // One that is too large to be sent is declined instead.
  void SendAck(const checkpoint::AckFacts& ack);
  void SendDecline(const checkpoint::DeclineFacts& decline);

 private:
  void OnHeard() override;
  void OnDismissed(const absl::Status& cause) override;

  kj::Timer& Timer();
  void Greet();
  void OnWelcome(wire::Welcome::Reader welcome);
  void ReadProbe(const std::string& path);
  void Register(const absl::StatusOr<std::string>& seen);
  void OnRegistered(wire::Registered::Reader outcome);
  void WatchSilence(absl::Duration timeout);
  bool MaySend() const { return !is_ended_ && reports_.has_value(); }
  template <class Results>
  void Await(capnp::RemotePromise<Results> answer);
  void End(SessionEnd end, const absl::Status& cause);
  // Of a failure that is not an answer.
  void Fail(const absl::Status& cause);
  void Tell(std::function<void()> callback);
  void taskFailed(kj::Exception&& exception) override;

  const std::string address_;
  const rpc::TaskManagerFacts facts_;
  const JobManagerSessionServices services_;
  const Callbacks callbacks_;
  std::shared_ptr<const bool> alive_;  // held weakly by mails under way and by what is served
  bool is_handed_over_ = false;        // the jobmanager may call tasks
  bool is_ended_ = false;
  rpc::SilenceCounter silence_;
  base::TimerId timer_{0};
  std::unique_ptr<rpc::ClientConnection> connection_;
  std::optional<wire::JobManager::Client> jobmanager_;
  std::optional<wire::TaskReports::Client> reports_;
  ClusterId cluster_;  // of the jobmanager that greeted
  kj::TaskSet calls_;
};

}  // namespace weir::server
