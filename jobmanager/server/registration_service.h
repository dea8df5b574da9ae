// RegistrationService: the jobmanager's RPC port, where taskmanagers join.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <kj/async.h>

#include "common/base/cluster_id.h"
#include "common/base/executor.h"
#include "common/base/id_source.h"
#include "common/base/timer_service.h"
#include "common/fs/file_system.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/server_port.h"
#include "jobmanager/resources/task_manager_registrar.h"
#include "jobmanager/server/checkpoint_probe.h"
#include "jobmanager/server/task_manager_client.h"
#include "schemas/rpc/job_manager.capnp.h"

namespace weir::server {

struct RegistrationOptions {
  std::string host;
  uint16_t port = 0;  // 0: a free one
  std::string build_version;
  std::string checkpoint_dir;  // empty: none, and nothing is probed
  ClusterId cluster;           // what the leader's epochs are counted in
  HeartbeatOptions heartbeat;
  // How long a connection may take to register; then it is closed.
  absl::Duration registration_timeout = absl::Minutes(1);
  uint64_t seed = 0;  // of the probes' names
};

// All outlive the service.
struct RegistrationServices {
  rpc::ControlLoop& loop;
  base::Executor& io;
  fs::FileSystem& files;
  resources::TaskManagerRegistrar& registrar;
  rpc::TaskEvents& events;
};

// Greets, probes, and hands what registers to the registrar; tells it of ends of connections.
//
// Life:   destroying it closes the port and every connection without OnLost(). Links that still
//         live then find their taskmanager unavailable.
// Thread: the control loop's; Open() blocks for the look-up of the host.
class RegistrationService final : private rpc::ConnectionHost {
 public:
  // Errors of rpc::ListenTcp().
  static absl::StatusOr<std::unique_ptr<RegistrationService>> Open(RegistrationOptions options,
                                                                   RegistrationServices services);
  ~RegistrationService() override;

  const std::string& address() const { return port_->address(); }
  uint16_t port() const { return port_->port(); }

 private:
  class Session;
  enum class Step : uint8_t { kConnected, kGreeting, kGreeted, kRegistered };
  // One connection.
  struct Guest {
    std::string peer;
    Step step = Step::kConnected;
    CheckpointProbe probe;
    base::TimerId timeout{0};
    kj::Own<kj::PromiseFulfiller<absl::Status>> probe_written;
  };

  RegistrationService(RegistrationOptions options, RegistrationServices services);

  capnp::Capability::Client OnConnected(rpc::ConnectionId id, const std::string& peer) override;
  void OnDisconnected(rpc::ConnectionId id) override;

  // What the two calls of a session do. Null: the connection is over.
  Guest* FindGuest(rpc::ConnectionId id);
  absl::Status CheckBuild(uint32_t protocol, const std::string& build) const;
  // The probe is written on the I/O pool.
  kj::Promise<absl::Status> Greet(Guest& guest, rpc::ConnectionId id);
  absl::StatusOr<resources::Registration> Register(rpc::ConnectionId id,
                                                   wire::JobManager::RegisterParams::Reader params);
  absl::Status CheckSeen(const CheckpointProbe& probe, const rpc::TaskManagerFacts& facts,
                         wire::Seen::Reader seen) const;
  void Discard(CheckpointProbe probe);
  void LoseFormer(TaskManagerId id);
  void OnLinkGone(rpc::ConnectionId id);

  const RegistrationOptions options_;
  const RegistrationServices services_;
  const std::shared_ptr<const bool> alive_;  // held weakly by links and work elsewhere
  base::IdSource ids_;
  std::map<rpc::ConnectionId, Guest> guests_;
  std::map<rpc::ConnectionId, TaskManagerClient*> links_;  // owned by the registrar
  std::unique_ptr<rpc::ServerPort> port_;
};

}  // namespace weir::server
