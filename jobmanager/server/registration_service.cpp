#include "jobmanager/server/registration_service.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <glog/logging.h>

#include "common/base/status_macros.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/protocol.h"
#include "common/rpc/wire_values.h"
#include "jobmanager/server/task_reports_service.h"

namespace weir::server {

// Wire adapter of one connection: decode, call, encode.
// Life: may outlive its connection by a call under way; then the service knows no guest of its id.
class RegistrationService::Session final : public wire::JobManager::Server {
 public:
  Session(RegistrationService& service, rpc::ConnectionId id)
      : service_(service), alive_(service.alive_), id_(id) {}

  kj::Promise<void> greet(GreetContext context) override {
    const auto params = context.getParams();
    Guest* guest = FindGuest();
    // Cut: it is quoted in a message and a log line.
    const capnp::Text::Reader build = params.getBuild();
    const std::string named(build.begin(), std::min(build.size(), rpc::kNameBytesMax));
    const absl::Status status = guest == nullptr ? absl::UnavailableError("the connection is over")
                                                 : service_.CheckBuild(params.getProtocol(), named);
    if (!status.ok()) {
      Refuse(status, context.getResults().initOutcome().initFailed());
      return kj::READY_NOW;
    }
    return service_.Greet(*guest, id_).then([this, context](const absl::Status& greeted) mutable {
      auto outcome = context.getResults().initOutcome();
      const Guest* greeting = FindGuest();
      if (!greeted.ok() || greeting == nullptr) {
        return Refuse(greeted.ok() ? absl::UnavailableError("the connection is over") : greeted,
                      outcome.initFailed());
      }
      auto accepted = outcome.initAccepted();
      accepted.setProbePath(rpc::TextOf(greeting->probe.path));
      rpc::WriteId(service_.options_.cluster, accepted.initCluster());
      accepted.setReports(kj::heap<TaskReportsService>(service_.services_.events));
    });
  }

  kj::Promise<void> register_(RegisterContext context) override {
    absl::StatusOr<resources::Registration> registration =
        absl::UnavailableError("the connection is over");
    if (FindGuest() != nullptr) registration = service_.Register(id_, context.getParams());
    auto outcome = context.getResults().initOutcome();
    if (!registration.ok()) {
      Refuse(registration.status(), outcome.initFailed());
      return kj::READY_NOW;
    }
    const HeartbeatOptions& heartbeat = service_.options_.heartbeat;
    auto accepted = outcome.initAccepted();
    accepted.setEpoch(registration->epoch);
    accepted.setHeartbeatIntervalUs(absl::ToInt64Microseconds(heartbeat.interval));
    accepted.setHeartbeatTimeoutUs(absl::ToInt64Microseconds(heartbeat.timeout));
    return kj::READY_NOW;
  }

 private:
  Guest* FindGuest() { return alive_.expired() ? nullptr : service_.FindGuest(id_); }

  void Refuse(const absl::Status& cause, wire::Error::Builder out) {
    rpc::WriteError(cause, out);
    // Not the leader: they all ask again and again until there is one.
    if (absl::IsUnavailable(cause)) return;
    const Guest* guest = FindGuest();
    LOG(WARNING) << "taskmanager refused peer=" << (guest == nullptr ? "" : guest->peer)
                 << " cause=" << cause;
  }

  RegistrationService& service_;
  const std::weak_ptr<const bool> alive_;
  const rpc::ConnectionId id_;
};

absl::StatusOr<std::unique_ptr<RegistrationService>> RegistrationService::Open(
    RegistrationOptions options, RegistrationServices services) {
  const std::string host = options.host;
  const uint16_t port = options.port;
  auto service =
      std::unique_ptr<RegistrationService>(new RegistrationService(std::move(options), services));
  WEIR_ASSIGN_OR_RETURN(service->port_, rpc::ServerPort::Open(services.loop, host, port, *service));
  return service;
}

RegistrationService::RegistrationService(RegistrationOptions options, RegistrationServices services)
    : options_(std::move(options)),
      services_(services),
      alive_(std::make_shared<const bool>(true)),
      ids_(options_.seed) {
}

RegistrationService::~RegistrationService() {
  for (auto& [id, guest] : guests_) {
    services_.loop.Cancel(guest.timeout);
    Discard(std::move(guest.probe));
  }
}

// --- Connections ---

capnp::Capability::Client RegistrationService::OnConnected(rpc::ConnectionId id,
                                                           const std::string& peer) {
  Guest& guest = guests_[id];
  guest.peer = peer;
  guest.timeout = services_.loop.RunAfter(options_.registration_timeout, [this, id, peer] {
    LOG(WARNING) << "connection closed, it has not registered peer=" << peer
                 << " after=" << options_.registration_timeout;
    port_->Close(id);
  });
  return kj::heap<Session>(*this, id);
}

void RegistrationService::OnDisconnected(rpc::ConnectionId id) {
  const auto it = guests_.find(id);
  if (it == guests_.end()) return;
  const std::string peer = it->second.peer;
  services_.loop.Cancel(it->second.timeout);
  Discard(std::move(it->second.probe));
  guests_.erase(it);
  const auto link = links_.find(id);
  if (link == links_.end()) return;
  link->second->Lose(
      absl::UnavailableError(absl::StrCat("its connection from ", peer, " has ended")));
}

RegistrationService::Guest* RegistrationService::FindGuest(rpc::ConnectionId id) {
  const auto it = guests_.find(id);
  return it == guests_.end() ? nullptr : &it->second;
}

void RegistrationService::OnLinkGone(rpc::ConnectionId id) {
  links_.erase(id);
  const Guest* guest = FindGuest(id);
  // While it registers it was refused, and its answer is still to be sent.
  if (guest != nullptr && guest->step == Step::kRegistered) port_->Close(id);
}

// A taskmanager that comes again has lost what it was told before.
void RegistrationService::LoseFormer(TaskManagerId id) {
  std::vector<rpc::ConnectionId> former;
  for (const auto& [connection, link] : links_) {
    if (link->id() == id) former.push_back(connection);
  }
  for (const rpc::ConnectionId connection : former) {
    const auto link = links_.find(connection);
    if (link == links_.end()) continue;
    link->second->LoseNow(absl::UnavailableError("it has connected anew"));
    port_->Close(connection);
  }
}

// --- Greeting ---

absl::Status RegistrationService::CheckBuild(uint32_t protocol, const std::string& build) const {
  if (protocol == rpc::kProtocolVersion && build == options_.build_version) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the taskmanager is build ", build, " with protocol ", protocol, ", the jobmanager build ",
      options_.build_version, " with protocol ", rpc::kProtocolVersion,
      ": run the same build on both, since both plan every job by themselves"));
}

kj::Promise<absl::Status> RegistrationService::Greet(Guest& guest, rpc::ConnectionId id) {
  if (guest.step != Step::kConnected) {
    return absl::Status(absl::FailedPreconditionError("this connection has been greeted"));
  }
  guest.step = Step::kGreeting;
  guest.probe = MakeProbe(options_.checkpoint_dir, ids_);
  if (guest.probe.path.empty()) {
    guest.step = Step::kGreeted;
    return absl::OkStatus();
  }
  auto written = kj::newPromiseAndFulfiller<absl::Status>();
  guest.probe_written = kj::mv(written.fulfiller);
  services_.io.Run([this, id, probe = guest.probe, &files = services_.files, &loop = services_.loop,
                    alive = std::weak_ptr<const bool>(alive_)] {
    absl::Status status = WriteProbe(files, probe);
    if (alive.expired()) {
      RemoveProbe(files, probe).IgnoreError();  // at shutdown; a leftover of 32 bytes harms nobody
      return;
    }
    loop.mailbox().PostControl([this, id, probe, alive, status = std::move(status)] {
      if (alive.expired()) return;
      Guest* greeted = FindGuest(id);
      // It left in the meantime, and its probe was discarded before it was written.
      if (greeted == nullptr) return Discard(probe);
      greeted->step = Step::kGreeted;
      if (status.ok()) return greeted->probe_written->fulfill(absl::OkStatus());
      LOG(ERROR) << "checkpoint directory cannot be written cause=" << status;
      greeted->probe_written->fulfill(absl::UnavailableError(absl::StrCat(
          "the jobmanager cannot write its checkpoint directory: ", status.message())));
    });
  });
  return kj::mv(written.promise);
}

void RegistrationService::Discard(CheckpointProbe probe) {
  if (probe.path.empty()) return;
  services_.io.Run([probe = std::move(probe), &files = services_.files] {
    const absl::Status removed = RemoveProbe(files, probe);
    if (removed.ok()) return;
    LOG(WARNING) << "probe not removed path=" << probe.path << " cause=" << removed;
  });
}

// --- Registration ---

absl::Status RegistrationService::CheckSeen(const CheckpointProbe& probe,
                                            const rpc::TaskManagerFacts& facts,
                                            wire::Seen::Reader seen) const {
  if (probe.path.empty()) return absl::OkStatus();
  std::string found = "another content";
  if (seen.isFailed()) {
    // Without the probe's name, which differs from try to try.
    found = absl::StrReplaceAll(rpc::ReadError(seen.getFailed()).message(),
                                {{probe.path, "the probe file"}});
  } else if (rpc::StringOf(seen.getContent()) == probe.content) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the taskmanager on ", facts.host, " does not see the jobmanager's checkpoint directory ",
      options_.checkpoint_dir,
      ": both hosts must see the same directory under this path, for example by mounting it; "
      "reading a file that the jobmanager has just written there gave: ",
      found));
}

absl::StatusOr<resources::Registration> RegistrationService::Register(
    rpc::ConnectionId id, wire::JobManager::RegisterParams::Reader params) {
  Guest& guest = guests_.at(id);
  if (guest.step != Step::kGreeted) {
    return absl::FailedPreconditionError("a registration comes once, after the greeting");
  }
  WEIR_ASSIGN_OR_RETURN(rpc::TaskManagerFacts facts, rpc::ReadFacts(params.getFacts()));
  WEIR_RETURN_IF_ERROR(CheckBuild(rpc::kProtocolVersion, facts.build_version));
  WEIR_RETURN_IF_ERROR(CheckSeen(guest.probe, facts, params.getSeen()));
  Discard(std::exchange(guest.probe, {}));
  LoseFormer(facts.id);
  auto link = std::make_unique<TaskManagerClient>(
      facts, params.getTaskManager(), options_.heartbeat,
      TaskManagerClientServices{services_.loop, services_.events, services_.registrar},
      [this, id, alive = std::weak_ptr<const bool>(alive_)] {
        if (!alive.expired()) OnLinkGone(id);
      });
  TaskManagerClient* const client = link.get();
  links_[id] = client;
  WEIR_ASSIGN_OR_RETURN(const resources::Registration registration,
                        services_.registrar.Register(std::move(facts), std::move(link)));
  guest.step = Step::kRegistered;
  services_.loop.Cancel(guest.timeout);
  client->Start(registration.epoch);
  return registration;
}

}  // namespace weir::server
