// What must hold: a peer that breaks the protocol loses its channel or its connection, takes a
// bounded amount of memory, and disturbs nobody else.
#include <cstdlib>
#include <string>

#include <capnp/rpc-twoparty.h>
#include <catch2/catch.hpp>
#include <kj/async-io.h>

#include "common/base/random.h"
#include "schemas/rpc/data.capnp.h"
#include "taskmanager/network/frame_codec.h"
#include "tests/integration/taskmanager/network/channel_ends.h"

namespace weir::network {
namespace {

// A peer without any of the room's own code.
class Peer {
 public:
  explicit Peer(const NetworkDataPlane& plane)
      : io_(kj::setupAsyncIo()),
        stream_(io_.provider->getNetwork()
                    .parseAddress(plane.address())
                    .wait(io_.waitScope)
                    ->connect()
                    .wait(io_.waitScope)) {}

  kj::WaitScope& scope() { return io_.waitScope; }
  kj::Timer& timer() { return io_.provider->getTimer(); }
  kj::AsyncIoStream& stream() { return *stream_; }
  // Speaks RPC from here on.
  wire::DataPlane::Client Bootstrap() {
    network_ = kj::heap<capnp::TwoPartyVatNetwork>(*stream_, capnp::rpc::twoparty::Side::CLIENT);
    system_ = kj::heap(capnp::makeRpcClient(*network_));
    capnp::MallocMessageBuilder message;
    message.getRoot<capnp::rpc::twoparty::VatId>().setSide(capnp::rpc::twoparty::Side::SERVER);
    return system_->bootstrap(message.getRoot<capnp::rpc::twoparty::VatId>())
        .castAs<wire::DataPlane>();
  }
  capnp::TwoPartyVatNetwork& network() { return *network_; }
  // What is left to send once nothing has been taken for a while.
  size_t StuckBytes() {
    size_t left = network_->getCurrentQueueSize();
    for (int quiet = 0; quiet < 5; ++quiet) {
      timer().afterDelay(100 * kj::MILLISECONDS).wait(scope());
      if (network_->getCurrentQueueSize() != left) quiet = 0;
      left = network_->getCurrentQueueSize();
    }
    return left;
  }

 private:
  kj::AsyncIoContext io_;
  kj::Own<kj::AsyncIoStream> stream_;
  kj::Own<capnp::TwoPartyVatNetwork> network_;
  kj::Own<capnp::RpcSystem<capnp::rpc::twoparty::VatId>> system_;
};

wire::DataChannel::Client OpenChannel(Peer& peer, wire::DataPlane::Client plane,
                                      const ChannelName& name) {
  auto request = plane.openChannelRequest();
  auto to = request.initName();
  to.initJob().setHigh(name.job.high);
  to.getJob().setLow(name.job.low);
  to.setEpoch(name.epoch);
  to.setGeneration(name.generation);
  to.setProducer(name.producer);
  request.setVersion(kFrameVersion);
  const auto response = request.send().wait(peer.scope());
  REQUIRE(response.getOutcome().isChannel());
  return response.getOutcome().getChannel();
}

kj::Promise<void> Push(wire::DataChannel::Client channel, uint64_t sequence, StringView bytes) {
  auto request = channel.pushRequest();
  request.setSequence(sequence);
  request.initFrames(1).set(
      0, kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
  return request.send();
}

kj::Promise<void> CloseAt(wire::DataChannel::Client channel, uint64_t sequence) {
  auto request = channel.closeRequest();
  request.setSequence(sequence);
  return request.send().ignoreResult();
}

bool Fails(Peer& peer, kj::Promise<void> promise) {
  return promise.then([] { return false; }, [](kj::Exception&&) { return true; })
      .wait(peer.scope());
}

std::string Frame() {
  std::string frame;
  AppendElement(Watermark{1}, &frame);
  return frame;
}

// A channel of the same taskmanager that has nothing to do with the peer.
void CheckOthersAreServed(NetworkDataPlane& plane) {
  const std::unique_ptr<NetworkDataPlane> from = StartPlane();
  Consumer consumer;
  consumer.Expect(plane, Named(1000));
  Producer producer;
  producer.Open(*from, Named(1000), plane.address());
  producer.Push(Close{});
  const std::optional<GateElement> element = consumer.Pop();
  REQUIRE(element.has_value());
  CHECK(std::holds_alternative<Close>(element->element));
}

uint64_t Seed() {
  const char* given = std::getenv("WEIR_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : base::EntropySeed();
}

// Reads until the other side has ended the connection.
void WaitForEnd(Peer& peer) {
  char byte = 0;
  // It may have ended already.
  KJ_IF_MAYBE (ended, kj::runCatchingExceptions([&] { peer.stream().shutdownWrite(); })) {
    CHECK(ended->getType() == kj::Exception::Type::DISCONNECTED);
  }
  for (;;) {
    const size_t got = peer.stream()
                           .tryRead(&byte, 1, 1)
                           .catch_([](kj::Exception&&) { return size_t{0}; })
                           .wait(peer.scope());
    if (got == 0) return;
  }
}

TEST_CASE("Garbage ends a connection and nothing else", "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  const uint64_t seed = Seed();
  CAPTURE(seed);
  base::Random random(seed);
  for (int round = 0; round < 30; ++round) {
    Peer peer(*plane);
    std::string garbage(1 + random.Below(4000), '\0');
    for (char& byte : garbage) byte = static_cast<char>(random.Below(256));
    // Small numbers make headers that are almost right.
    if (random.OneIn(2)) {
      for (size_t i = 0; i < garbage.size(); ++i) {
        if (i % 4 != 0 || !random.OneIn(3)) garbage[i] = static_cast<char>(random.Below(3));
      }
    }
    peer.stream()
        .write(garbage.data(), garbage.size())
        .catch_([](kj::Exception&&) {})
        .wait(peer.scope());
    WaitForEnd(peer);
  }
  CheckOthersAreServed(*plane);
}

TEST_CASE("A message that announces more than the largest frame ends the connection",
          "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Peer peer(*plane);
  const uint32_t header[2] = {0, 1u << 28};  // one segment of 2 GiB
  peer.stream().write(header, sizeof(header)).wait(peer.scope());
  WaitForEnd(peer);
  CheckOthersAreServed(*plane);
}

TEST_CASE("Frames of another version are refused", "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Peer peer(*plane);
  auto request = peer.Bootstrap().openChannelRequest();
  request.setVersion(kFrameVersion + 1);
  const auto response = request.send().wait(peer.scope());
  REQUIRE(response.getOutcome().isFailed());
  CHECK(response.getOutcome().getFailed().getCode() ==
        static_cast<uint16_t>(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("A peer that breaks the rules of its channel loses it",
          "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Consumer consumer;
  consumer.Expect(*plane, Named(0));
  Peer peer(*plane);
  wire::DataChannel::Client channel = OpenChannel(peer, peer.Bootstrap(), Named(0));
  REQUIRE_FALSE(Fails(peer, Push(channel, 0, Frame())));
  SECTION("a frame is missing") {
    Push(channel, 2, Frame()).wait(peer.scope());
  }
  SECTION("a frame comes twice") {
    Push(channel, 0, Frame()).wait(peer.scope());
  }
  SECTION("a frame is damaged") {
    Push(channel, 1, "not a frame").wait(peer.scope());
  }
  SECTION("an element is of an unknown kind") {
    Push(channel, 1, std::string(16, '\x7f')).wait(peer.scope());
  }
  SECTION("a frame is empty") {
    Push(channel, 1, "").wait(peer.scope());
  }
  SECTION("it closes before its last frame") {
    CHECK(Fails(peer, CloseAt(channel, 7)));
  }
  CHECK(Fails(peer, CloseAt(channel, 1)));
  CHECK(consumer.lost[0].Wait());
  // Nothing of it came but the good frame.
  CHECK(std::holds_alternative<Watermark>(consumer.Pop()->element));
  CHECK_FALSE(consumer.gate.HasReady());
  CheckOthersAreServed(*plane);
}

TEST_CASE("A push that names its bytes over and over loses its channel",
          "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Consumer consumer;
  consumer.Expect(*plane, Named(0));
  Peer peer(*plane);
  wire::DataChannel::Client channel = OpenChannel(peer, peer.Bootstrap(), Named(0));
  // A message of half the limit, read ten times over, is more than the limit.
  // In one segment.
  auto request = channel.pushRequest(capnp::MessageSize{kFrameBytesMax / sizeof(capnp::word), 0});
  auto frames = request.initFrames(10);
  std::string frame(kFrameBytesMax / 2, '\0');
  frame[0] = 1;
  const uint64_t size = frame.size() - 16;
  frame.replace(8, sizeof(size), reinterpret_cast<const char*>(&size), sizeof(size));
  frames.set(0, kj::StringPtr(frame.data(), frame.size()).asBytes());
  // The list's pointers lie one behind the other. Each leads from where it lies to the bytes.
  auto* pointers =
      const_cast<uint64_t*>(reinterpret_cast<const uint64_t*>(frames[0].begin()) - frames.size());
  for (uint32_t i = 1; i < frames.size(); ++i) {
    pointers[i] = pointers[0] - (uint64_t{i} << 2);
  }
  request.send().wait(peer.scope());
  CHECK(Fails(peer, CloseAt(channel, 1)));
  CHECK(consumer.lost[0].Wait());
  CHECK_FALSE(consumer.gate.HasReady());
}

TEST_CASE("A closed channel takes nothing more", "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Consumer consumer;
  consumer.Expect(*plane, Named(0));
  Peer peer(*plane);
  wire::DataChannel::Client channel = OpenChannel(peer, peer.Bootstrap(), Named(0));
  REQUIRE_FALSE(Fails(peer, CloseAt(channel, 0)));
  CHECK(Fails(peer, CloseAt(channel, 0)));
  CHECK(std::holds_alternative<Close>(consumer.Pop()->element));
  CHECK_FALSE(consumer.gate.HasReady());
  CHECK(consumer.lost[0].causes().empty());
}

TEST_CASE("A frame larger than the largest ends the connection",
          "[network][integration][threads]") {
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Consumer consumer;
  consumer.Expect(*plane, Named(0));
  Peer peer(*plane);
  wire::DataChannel::Client channel = OpenChannel(peer, peer.Bootstrap(), Named(0));
  Push(channel, 0, std::string(2 * kFrameBytesMax, '\0'))
      .catch_([](kj::Exception&&) {})
      .wait(peer.scope());
  CHECK(Fails(peer, CloseAt(channel, 1)));
  CHECK(consumer.lost[0].Wait());
  CheckOthersAreServed(*plane);
}

TEST_CASE("A peer that ignores its window is not read any further",
          "[network][integration][threads]") {
  constexpr size_t kFrames = 160;
  const std::unique_ptr<NetworkDataPlane> plane = StartPlane();
  Consumer consumer;  // takes nothing
  consumer.Expect(*plane, Named(0));
  Peer peer(*plane);
  wire::DataChannel::Client channel = OpenChannel(peer, peer.Bootstrap(), Named(0));
  std::string frame(kFrameBytesMax, '\0');
  frame[0] = 1;  // a block
  const uint64_t size = frame.size() - 16;
  frame.replace(8, sizeof(size), reinterpret_cast<const char*>(&size), sizeof(size));
  for (uint64_t i = 0; i < kFrames; ++i) Push(channel, i, frame).detach([](kj::Exception&&) {});
  // Opens may take 32 MiB, the channel 3, the sockets' buffers some more.
  CHECK(peer.StuckBytes() > (kFrames - 64) * kFrameBytesMax);
  CheckOthersAreServed(*plane);
}

}  // namespace
}  // namespace weir::network
