#include "taskmanager/network/data_client.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <absl/strings/str_cat.h>
#include <capnp/message.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/rpc/tcp_listener.h"
#include "taskmanager/network/frame_codec.h"

namespace weir::network {
namespace {

// Answers are small.
constexpr uint64_t kAnswerWordsMax = 64 * 1024;
// What a push has besides its frame.
constexpr uint64_t kPushWords = 32;

void WriteName(const ChannelName& name, wire::ChannelName::Builder to) {
  to.initJob().setHigh(name.job.high);
  to.getJob().setLow(name.job.low);
  to.setEpoch(name.epoch);
  to.setGeneration(name.generation);
  to.setEdge(name.edge);
  to.setProducer(name.producer);
  to.setConsumer(name.consumer);
}

capnp::ReaderOptions AnswerOptions() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kAnswerWordsMax;
  return options;
}

}  // namespace

struct DataClient::Connection {
  explicit Connection(kj::Own<kj::AsyncIoStream> own_stream)
      : stream(kj::mv(own_stream)),
        network(*stream, AnswerOptions()),
        system(capnp::makeRpcClient(network)),
        plane(Bootstrap()) {}

  wire::DataPlane::Client Bootstrap() {
    capnp::MallocMessageBuilder message;
    auto vat = message.getRoot<capnp::rpc::twoparty::VatId>();
    vat.setSide(capnp::rpc::twoparty::Side::SERVER);
    return system.bootstrap(vat).castAs<wire::DataPlane>();
  }

  kj::Own<kj::AsyncIoStream> stream;
  AckNetwork network;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system;
  wire::DataPlane::Client plane;
};

// What the connection has of one channel.
class DataClient::Wire final : public AckListener {
 public:
  Wire(DataClient& owner, uint64_t number, std::shared_ptr<SendChannel> served)
      : client(owner), id(number), channel(std::move(served)) {
    link->listener = this;
  }
  ~Wire() noexcept(false) override { link->listener = nullptr; }

  void OnAcknowledged() override {
    WEIR_CHECK(!in_flight.empty());
    channel->queue().Acknowledge(in_flight.front());
    in_flight.pop_front();
    client.Flush(*this);
  }
  void OnRefused(kj::Exception&& exception) override { client.FailLater(id, kj::mv(exception)); }

  DataClient& client;
  const uint64_t id;
  const std::shared_ptr<SendChannel> channel;
  kj::Own<AckLink> link = kj::refcounted<AckLink>();
  kj::Maybe<wire::DataChannel::Client> capability;  // null: not opened yet
  std::deque<size_t> in_flight;                     // bytes of frames
  uint64_t sequence = 0;                            // of the next frame
  bool is_closing = false;
};

DataClient::DataClient(kj::AsyncIoContext& io, std::string address,
                       absl::AnyInvocable<void()> ended)
    : io_(io), address_(std::move(address)), ended_(std::move(ended)), tasks_(*this) {
  const kj::TimePoint now = io_.provider->getTimer().now();
  tasks_.add(Connect(now + kConnectTimeMax, kConnectPauseMin));
}

DataClient::~DataClient() = default;

void DataClient::Add(std::shared_ptr<SendChannel> channel) {
  const uint64_t id = channel->wire();
  wires_.emplace(id, std::make_unique<Wire>(*this, id, std::move(channel)));
  if (connection_.get() != nullptr) OpenChannel(id);
}

void DataClient::Update(const SendChannel& channel) {
  const auto it = wires_.find(channel.wire());
  if (it == wires_.end()) return;
  if (channel.IsBroken()) return Remove(it->first);
  Flush(*it->second);
}

void DataClient::FailAll(const absl::Status& cause) {
  while (!wires_.empty()) Fail(wires_.begin()->first, cause);
}

kj::Promise<void> DataClient::Connect(kj::TimePoint deadline, kj::Duration pause) {
  return io_.provider->getNetwork()
      .parseAddress(address_)
      .then([](kj::Own<kj::NetworkAddress>&& address) {
        auto stream = address->connect();
        return stream.attach(kj::mv(address));
      })
      .then(
          [this](kj::Own<kj::AsyncIoStream>&& stream) -> kj::Promise<void> {
            OnConnected(kj::mv(stream));
            return kj::READY_NOW;
          },
          [this, deadline, pause](kj::Exception&& exception) -> kj::Promise<void> {
            kj::Timer& timer = io_.provider->getTimer();
            if (timer.now() >= deadline) {
              FailAll(Unavailable(exception.getDescription()));
              return kj::READY_NOW;
            }
            return timer.afterDelay(pause).then([this, deadline, pause] {
              return Connect(deadline, std::min(2 * pause, kConnectPauseMax));
            });
          });
}

void DataClient::OnConnected(kj::Own<kj::AsyncIoStream> stream) {
  rpc::TuneTcp(*stream);
  connection_ = kj::heap<Connection>(kj::mv(stream));
  tasks_.add(connection_->network.onDisconnect().then(
      [this] { FailAll(Unavailable("the connection has ended")); }));
  for (const auto& [id, wire] : wires_) OpenChannel(id);
}

void DataClient::OpenChannel(uint64_t wire) {
  auto request = connection_->plane.openChannelRequest();
  WriteName(wires_.at(wire)->channel->target().name, request.initName());
  request.setVersion(kFrameVersion);
  tasks_.add(request.send().then(
      [this, wire](capnp::Response<wire::DataPlane::OpenChannelResults>&& response) {
        OnOpened(wire, response.getOutcome());
      },
      [this, wire](kj::Exception&& exception) {
        Fail(wire, Unavailable(exception.getDescription()));
      }));
}

void DataClient::OnOpened(uint64_t wire, wire::OpenOutcome::Reader outcome) {
  const auto it = wires_.find(wire);
  if (it == wires_.end()) return;  // its sender left meanwhile
  if (outcome.isFailed()) {
    return Fail(wire, Unavailable(kj::str("refused: ", outcome.getFailed().getMessage())));
  }
  it->second->capability = outcome.getChannel();
  Flush(*it->second);
}

void DataClient::Flush(Wire& wire) {
  if (wire.capability == nullptr || wire.is_closing) return;
  for (;;) {
    switch (wire.channel->queue().Next()) {
      case NextStep::kWait:
        return;
      case NextStep::kSend:
        SendFrame(wire);
        break;
      case NextStep::kClose:
        SendClose(wire);
        return;
    }
  }
}

void DataClient::SendFrame(Wire& wire) {
  std::string frame = wire.channel->queue().TakeFrame();
  wire::DataChannel::Client& capability = KJ_ASSERT_NONNULL(wire.capability);
  auto request = capability.pushRequest(
      capnp::MessageSize{frame.size() / sizeof(capnp::word) + kPushWords, 0});
  request.setSequence(wire.sequence++);
  request.setElements(kj::StringPtr(frame.data(), frame.size()).asBytes());
  wire.in_flight.push_back(frame.size());
  connection_->network.set_next_link(kj::addRef(*wire.link));
  tasks_.add(request.send().catch_(
      [this, id = wire.id](kj::Exception&& exception) { FailLater(id, kj::mv(exception)); }));
  wire.channel->queue().Recycle(std::move(frame));
}

void DataClient::SendClose(Wire& wire) {
  wire.is_closing = true;
  auto request = KJ_ASSERT_NONNULL(wire.capability).closeRequest();
  request.setSequence(wire.sequence);
  tasks_.add(request.send().then(
      [this, id = wire.id](capnp::Response<wire::DataChannel::CloseResults>&&) { Remove(id); },
      [this, id = wire.id](kj::Exception&& exception) {
        Fail(id, Unavailable(exception.getDescription()));
      }));
}

void DataClient::FailLater(uint64_t wire, kj::Exception&& exception) {
  tasks_.add(kj::evalLater([this, wire, exception = kj::mv(exception)] {
    Fail(wire, Unavailable(exception.getDescription()));
  }));
}

void DataClient::Fail(uint64_t wire, const absl::Status& cause) {
  const auto it = wires_.find(wire);
  if (it == wires_.end()) return;
  it->second->channel->Fail(cause);
  Remove(wire);
}

void DataClient::Remove(uint64_t wire) {
  wires_.erase(wire);
  if (wires_.empty() && ended_) std::exchange(ended_, nullptr)();
}

absl::Status DataClient::Unavailable(kj::StringPtr what) const {
  return absl::UnavailableError(absl::StrCat("taskmanager at ", address_, ": ", what.cStr()));
}

void DataClient::taskFailed(kj::Exception&& exception) {
  LOG(ERROR) << "data connection task failed address=" << address_
             << " cause=" << exception.getDescription().cStr();
}

}  // namespace weir::network
