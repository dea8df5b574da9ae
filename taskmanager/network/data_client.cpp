#include "taskmanager/network/data_client.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <absl/strings/str_cat.h>
#include <capnp/message.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/tcp_listener.h"
#include "common/rpc/wire_values.h"
#include "taskmanager/network/data_stream.h"
#include "taskmanager/network/frame_codec.h"

namespace weir::network {
namespace {

// Answers are small.
constexpr uint64_t kAnswerWordsMax = 64 * 1024;
// What a push has besides its frames.
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
        network(stream, AnswerOptions()),
        system(capnp::makeRpcClient(network)),
        plane(Bootstrap()) {}

  wire::DataPlane::Client Bootstrap() {
    capnp::MallocMessageBuilder message;
    auto vat = message.getRoot<capnp::rpc::twoparty::VatId>();
    vat.setSide(capnp::rpc::twoparty::Side::SERVER);
    return system.bootstrap(vat).castAs<wire::DataPlane>();
  }

  DataStream stream;
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
  ~Wire() noexcept(false) override {
    link->listener = nullptr;
    client.Retire(std::move(in_flight));
  }

  void OnAcknowledged() override {
    WEIR_CHECK(!in_flight.empty());
    Frames frames = std::move(in_flight.front());
    in_flight.pop_front();
    channel->queue().Acknowledge(std::move(frames));
    if (!client.retired_.empty()) client.DropRetired();
    client.Flush(*this);
  }
  void OnRefused(kj::Exception&& exception) override { client.FailLater(id, kj::mv(exception)); }

  DataClient& client;
  const uint64_t id;
  const std::shared_ptr<SendChannel> channel;
  kj::Own<AckLink> link = kj::refcounted<AckLink>();
  kj::Maybe<wire::DataChannel::Client> capability;  // null: not opened yet
  std::deque<Frames> in_flight;                     // by push; messages refer to their bytes
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
              FailAll(Unavailable(rpc::CauseOf(exception)));
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
        Fail(wire, Unavailable(rpc::CauseOf(exception)));
      }));
}

void DataClient::OnOpened(uint64_t wire, wire::OpenOutcome::Reader outcome) {
  const auto it = wires_.find(wire);
  if (it == wires_.end()) return;  // its sender left meanwhile
  if (outcome.isFailed()) {
    return Fail(wire, Unavailable(absl::StrCat("refused: ",
                                               rpc::StringOf(outcome.getFailed().getMessage()))));
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
        SendFrames(wire);
        break;
      case NextStep::kClose:
        SendClose(wire);
        return;
    }
  }
}

void DataClient::SendFrames(Wire& wire) {
  const Frames& frames = wire.in_flight.emplace_back(wire.channel->queue().TakeFrames());
  wire::DataChannel::Client& capability = KJ_ASSERT_NONNULL(wire.capability);
  auto request = capability.pushRequest(capnp::MessageSize{kPushWords, 0});
  request.setSequence(wire.sequence);
  wire.sequence += frames.size();
  // In place: the frames are kept until they are acknowledged or were written.
  auto list = request.initFrames(static_cast<kj::uint>(frames.size()));
  const auto orphanage = capnp::Orphanage::getForMessageContaining(list);
  for (kj::uint i = 0; i < frames.size(); ++i) {
    const kj::StringPtr bytes(frames[i].data(), frames[i].size());
    list.adopt(i, orphanage.referenceExternalData(bytes.asBytes()));
  }
  connection_->network.set_next_link(kj::addRef(*wire.link));
  tasks_.add(request.send().catch_(
      [this, id = wire.id](kj::Exception&& exception) { FailLater(id, kj::mv(exception)); }));
}

void DataClient::SendClose(Wire& wire) {
  wire.is_closing = true;
  auto request = KJ_ASSERT_NONNULL(wire.capability).closeRequest();
  request.setSequence(wire.sequence);
  tasks_.add(request.send().then(
      [this, id = wire.id](capnp::Response<wire::DataChannel::CloseResults>&&) { Remove(id); },
      [this, id = wire.id](kj::Exception&& exception) {
        Fail(id, Unavailable(rpc::CauseOf(exception)));
      }));
}

void DataClient::FailLater(uint64_t wire, kj::Exception&& exception) {
  tasks_.add(kj::evalLater([this, wire, exception = kj::mv(exception)] {
    Fail(wire, Unavailable(rpc::CauseOf(exception)));
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

void DataClient::Retire(std::deque<Frames> pushes) {
  for (Frames& frames : pushes) retired_.push_back(std::move(frames));
  DropRetired();
}

void DataClient::DropRetired() {
  if (connection_.get() == nullptr || connection_->network.getCurrentQueueCount() == 0) {
    retired_.clear();
  }
}

absl::Status DataClient::Unavailable(StringView what) const {
  return absl::UnavailableError(absl::StrCat("taskmanager at ", address_, ": ", what));
}

void DataClient::taskFailed(kj::Exception&& exception) {
  LOG(ERROR) << "data connection task failed address=" << address_
             << " cause=" << exception.getDescription().cStr();
}

}  // namespace weir::network
