#include "taskmanager/network/network_loop.h"

#include <fcntl.h>
#include <map>
#include <optional>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>
#include <kj/async-io.h>
#include <kj/io.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/tcp_listener.h"
#include "taskmanager/network/data_client.h"
#include "taskmanager/network/data_service.h"

namespace weir::network {
namespace {

// Until the system has what it lacks, for example descriptors.
constexpr kj::Duration kAcceptPause = 100 * kj::MILLISECONDS;

// Hands a result from one thread to another that waits for it.
template <class T>
class Handover {
 public:
  void Put(T value) {
    base::MutexLock lock(mutex_);
    value_ = std::move(value);
    put_.WakeAll();
  }
  T Take() {
    base::MutexLock lock(mutex_);
    while (!value_.has_value()) put_.Wait(mutex_);
    return *std::move(value_);
  }

 private:
  base::Mutex mutex_;
  base::CondVar put_;
  std::optional<T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

// What lives on the loop's thread.
class NetworkLoop::Body final : private kj::TaskSet::ErrorHandler {
 public:
  Body(ChannelRegistry& registry, const std::shared_ptr<LoopPort>& port)
      : service_(kj::heap<DataService>(loop_.io().provider->getTimer(), registry, port)),
        tasks_(*this) {}
  KJ_DISALLOW_COPY(Body);

  rpc::ControlLoop& loop() { return loop_; }

  void Serve(std::shared_ptr<SendChannel> channel) {
    const std::string& address = channel->target().address;
    const auto client = clients_.find(address);
    if (channel->wire() != 0) {
      if (client != clients_.end()) client->second->Update(*channel);
      return;
    }
    if (channel->IsBroken()) return;
    channel->set_wire(++last_wire_);
    DataClient& to = client != clients_.end() ? *client->second : NewClient(address);
    to.Add(std::move(channel));
  }

  // Before the loop runs. `self` deals with its share of the connections.
  absl::StatusOr<std::string> Listen(const ListenOptions& listen, NetworkLoop* self,
                                     std::vector<NetworkLoop*> others) {
    WEIR_ASSIGN_OR_RETURN(rpc::TcpListener bound, rpc::ListenTcp(loop_, listen.host, listen.port));
    loops_ = std::move(others);
    loops_.push_back(self);
    listener_ = kj::mv(bound.receiver);
    accepting_ = AcceptNext().eagerlyEvaluate(nullptr);
    return bound.address;
  }

  void AcceptFd(kj::AutoCloseFd fd) {
    service_->Accept(loop_.io().lowLevelProvider->wrapSocketFd(kj::mv(fd)));
  }

  // Ends every connection. What runs on for some turns has its turns.
  void Shutdown() {
    accepting_ = nullptr;
    std::map<std::string, kj::Own<DataClient>> clients;
    clients.swap(clients_);
    for (auto& [address, client] : clients) {
      client->FailAll(absl::UnavailableError("the data plane has stopped"));
    }
    clients.clear();
    service_ = nullptr;
    loop_.io().waitScope.poll();
  }

 private:
  DataClient& NewClient(const std::string& address) {
    kj::Own<DataClient>& client = clients_[address];
    client = kj::heap<DataClient>(loop_.io(), address, [this, address] { EndClient(address); });
    return *client;
  }

  // A turn later: the client itself asks for it.
  void EndClient(const std::string& address) {
    auto ended = clients_.extract(address);
    if (ended.empty()) return;
    tasks_.add(kj::evalLater([client = kj::mv(ended.mapped())]() mutable { client = nullptr; }));
  }

  kj::Promise<void> AcceptNext() {
    // It may throw at once, where no descriptor is free.
    return kj::evalNow([this] { return listener_->accept(); })
        .then(
            [this](kj::Own<kj::AsyncIoStream>&& stream) -> kj::Promise<void> {
              DealOut(kj::mv(stream));
              return kj::READY_NOW;
            },
            [this](kj::Exception&& exception) -> kj::Promise<void> {
              LOG_EVERY_N(WARNING, 100)
                  << "cannot accept data connections cause=" << exception.getDescription().cStr();
              return loop_.io().provider->getTimer().afterDelay(kAcceptPause);
            })
        .then([this] { return AcceptNext(); });
  }

  void DealOut(kj::Own<kj::AsyncIoStream> stream) {
    NetworkLoop* to = loops_[next_loop_];
    next_loop_ = (next_loop_ + 1) % loops_.size();
    if (to->body_ == this) return service_->Accept(kj::mv(stream));
    // Another loop needs a stream of its own.
    const int fd = fcntl(KJ_ASSERT_NONNULL(stream->getFd()), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return;  // out of descriptors: the peer sees the connection end
    to->port_->Post(
        [to, own = kj::AutoCloseFd(fd)]() mutable { to->body_->AcceptFd(kj::mv(own)); });
  }

  void taskFailed(kj::Exception&& exception) override {
    LOG(ERROR) << "network loop task failed cause=" << exception.getDescription().cStr();
  }

  rpc::ControlLoop loop_;
  kj::Own<DataService> service_;
  std::map<std::string, kj::Own<DataClient>> clients_;  // by address
  uint64_t last_wire_ = 0;
  std::vector<NetworkLoop*> loops_;  // those that get connections, in turn
  size_t next_loop_ = 0;
  kj::Own<kj::ConnectionReceiver> listener_;  // null: this loop does not listen
  kj::Promise<void> accepting_ = nullptr;
  kj::TaskSet tasks_;
};

std::unique_ptr<NetworkLoop> NetworkLoop::Start(size_t index, ChannelRegistry& registry) {
  auto loop = std::unique_ptr<NetworkLoop>(new NetworkLoop(registry));
  const absl::Status begun = loop->Begin(index, nullptr, {});
  WEIR_CHECK(begun.ok());  // only listening can fail
  return loop;
}

absl::StatusOr<std::unique_ptr<NetworkLoop>> NetworkLoop::StartListening(
    const ListenOptions& listen, std::vector<NetworkLoop*> others, ChannelRegistry& registry) {
  auto loop = std::unique_ptr<NetworkLoop>(new NetworkLoop(registry));
  WEIR_RETURN_IF_ERROR(loop->Begin(/*index=*/0, &listen, std::move(others)));
  return loop;
}

absl::Status NetworkLoop::Begin(size_t index, const ListenOptions* listen,
                                std::vector<NetworkLoop*> others) {
  Handover<absl::StatusOr<std::string>> begun;
  thread_ =
      std::make_unique<base::Thread>(absl::StrCat("network-", index),
                                     [this, listen, &begun, others = std::move(others)]() mutable {
                                       Body body(registry_, port_);
                                       body_ = &body;
                                       port_->Attach(body.loop().mailbox());
                                       if (listen == nullptr) {
                                         begun.Put(std::string());
                                       } else {
                                         begun.Put(body.Listen(*listen, this, std::move(others)));
                                       }
                                       body.loop().Run();
                                       port_->Detach();
                                       body.Shutdown();
                                     });
  WEIR_ASSIGN_OR_RETURN(address_, begun.Take());
  return absl::OkStatus();
}

NetworkLoop::~NetworkLoop() {
  port_->Post([this] { body_->loop().Stop(); });
  thread_->Join();
}

void NetworkLoop::Serve(std::shared_ptr<SendChannel> channel) {
  body_->Serve(std::move(channel));
}

}  // namespace weir::network
