#include "taskmanager/network/data_service.h"

#include <string>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/rpc/error_codec.h"
#include "common/rpc/tcp_listener.h"
#include "taskmanager/network/data_stream.h"

namespace weir::network {
namespace {

ChannelName ReadName(wire::ChannelName::Reader from) {
  return {.job = {.high = from.getJob().getHigh(), .low = from.getJob().getLow()},
          .epoch = from.getEpoch(),
          .generation = from.getGeneration(),
          .edge = from.getEdge(),
          .producer = from.getProducer(),
          .consumer = from.getConsumer()};
}

capnp::ReaderOptions FrameOptions() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kDataMessageWordsMax;
  options.nestingLimit = 8;
  return options;
}

}  // namespace

// The opens of one loop that have no answer yet. Answers come from any thread, by mail.
class DataService::OpenTable final : public kj::Refcounted {
 public:
  using Answer = ChannelRegistry::Answer;
  // On the heap, since g++ 12 takes a StatusOr inside a promise for uninitialised.
  using OwnedAnswer = kj::Own<Answer>;

  OpenTable(kj::Timer& timer, ChannelRegistry& registry, std::shared_ptr<LoopPort> port)
      : timer_(timer), registry_(registry), port_(std::move(port)) {}

  const std::shared_ptr<LoopPort>& port() const { return port_; }

  // Dropping the promise gives the open up.
  kj::Promise<OwnedAnswer> Open(const ChannelName& name) {
    const uint64_t id = ++last_id_;
    auto answer = kj::newPromiseAndFulfiller<OwnedAnswer>();
    waiting_[id] = kj::mv(answer.fulfiller);
    const uint64_t open = registry_.Open(name, [this, port = port_, id](Answer came) {
      port->Post([this, id, came = std::move(came)]() mutable { OnAnswer(id, std::move(came)); });
    });
    auto timeout = timer_.afterDelay(kHeldOpenTimeMax).then([this, name, open] {
      registry_.Withdraw(name, open,
                         absl::DeadlineExceededError("nothing here expects the channel"));
      return kj::Promise<OwnedAnswer>(kj::NEVER_DONE);
    });
    return answer.promise.exclusiveJoin(kj::mv(timeout))
        .attach(kj::defer([self = kj::addRef(*this), id, name, open]() mutable {
          self->waiting_.erase(id);
          self->registry_.Withdraw(name, open, absl::CancelledError("the producer has left"));
        }));
  }

 private:
  void OnAnswer(uint64_t id, Answer answer) {
    const auto it = waiting_.find(id);
    if (it == waiting_.end()) {
      if (answer.ok()) (*answer)->Lose(absl::UnavailableError("the producer has left"));
      return;
    }
    it->second->fulfill(kj::heap<Answer>(std::move(answer)));
    waiting_.erase(it);
  }

  kj::Timer& timer_;
  ChannelRegistry& registry_;
  const std::shared_ptr<LoopPort> port_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, kj::Own<kj::PromiseFulfiller<OwnedAnswer>>> waiting_;
};

// Wire adapter: what a connection offers first.
class DataService::PlaneService final : public wire::DataPlane::Server {
 public:
  explicit PlaneService(kj::Own<OpenTable> opens) : opens_(kj::mv(opens)) {}

  void set_link(kj::Own<ConnectionLink> link) { link_ = kj::mv(link); }

  kj::Promise<void> openChannel(OpenChannelContext context) override {
    const auto params = context.getParams();
    if (params.getVersion() != kFrameVersion) {
      rpc::WriteError(absl::FailedPreconditionError(absl::StrCat(
                          "frames of version ", params.getVersion(), ", not ", kFrameVersion)),
                      context.getResults().initOutcome().initFailed());
      return kj::READY_NOW;
    }
    const ChannelName name = ReadName(params.getName());
    context.releaseParams();
    context.allowCancellation();
    return opens_->Open(name).then([this, context](OpenTable::OwnedAnswer answer) mutable {
      OnAnswer(std::move(*answer), context);
    });
  }

 private:
  void OnAnswer(ChannelRegistry::Answer answer, OpenChannelContext& context) {
    auto outcome = context.getResults().initOutcome();
    if (!answer.ok()) return rpc::WriteError(answer.status(), outcome.initFailed());
    if (link_->IsOver()) {
      return (*answer)->Lose(
          absl::UnavailableError(absl::StrCat("the producer at ", link_->peer(), " has left")));
    }
    (*answer)->Attach(opens_->port());
    outcome.setChannel(kj::heap<ChannelService>(kj::addRef(*link_), *std::move(answer)));
  }

  kj::Own<OpenTable> opens_;
  kj::Own<ConnectionLink> link_;
};

// Life: as long as the socket.
struct DataService::Connection {
  Connection(kj::Own<kj::AsyncIoStream> own_stream, kj::Own<PlaneService> own_service,
             std::shared_ptr<BlockMemory> memory)
      : stream(kj::mv(own_stream)),
        network(stream, capnp::rpc::twoparty::Side::SERVER, FrameOptions()),
        service(*own_service),
        system(capnp::makeRpcServer(network, kj::mv(own_service))),
        link(kj::refcounted<ConnectionLink>(rpc::PeerAddress(stream), system, std::move(memory))) {
    service.set_link(kj::addRef(*link));
  }
  ~Connection() noexcept {
    link->End(absl::UnavailableError(
        absl::StrCat("the connection from the producer at ", link->peer(), " has ended")));
  }

  DataStream stream;
  capnp::TwoPartyVatNetwork network;
  PlaneService& service;  // the system's
  ConnectionLink::Rpc system;
  kj::Own<ConnectionLink> link;
};

DataService::DataService(kj::Timer& timer, ChannelRegistry& registry,
                         std::shared_ptr<LoopPort> port)
    : opens_(kj::refcounted<OpenTable>(timer, registry, std::move(port))), tasks_(*this) {
}

DataService::~DataService() = default;

void DataService::Accept(kj::Own<kj::AsyncIoStream> stream) {
  if (connections_.size() >= kDataConnectionsMax) {
    LOG_EVERY_N(WARNING, 1000) << "data connection refused: too many connections="
                               << connections_.size();
    return;
  }
  rpc::TuneTcp(*stream);
  const uint64_t id = ++last_connection_;
  kj::Own<Connection>& connection = connections_[id];
  connection =
      kj::heap<Connection>(kj::mv(stream), kj::heap<PlaneService>(kj::addRef(*opens_)), memory_);
  // A turn later: what tells of the end belongs to the connection.
  tasks_.add(connection->network.onDisconnect().then(
      [this, id] { tasks_.add(kj::evalLater([this, id] { connections_.erase(id); })); }));
}

void DataService::taskFailed(kj::Exception&& exception) {
  LOG(ERROR) << "data connection task failed cause=" << exception.getDescription().cStr();
}

}  // namespace weir::network
