// What must hold: a peer that is silent, of another version, or no peer at all is noticed and harms
// nobody else.
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/rpc/client_connection.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/facts_codec.h"
#include "common/rpc/protocol.h"
#include "common/rpc/server_port.h"
#include "common/rpc/tcp_listener.h"
#include "common/rpc/wire_values.h"
#include "schemas/rpc/job_manager.capnp.h"
#include "tests/integration/cluster/cluster_ends.h"

namespace weir {
namespace {

constexpr TaskManagerId kId{0x1a2b3c4d00000000, 1};

// A taskmanager that takes calls and never answers.
class SilentTaskManager final : public wire::TaskManager::Server {
 public:
  kj::Promise<void> heartbeat(HeartbeatContext context) override { return kj::NEVER_DONE; }
  kj::Promise<void> deploy(DeployContext context) override { return kj::NEVER_DONE; }
};

// A jobmanager that takes a taskmanager in and then forgets it.
class SilentJobManager final : public rpc::ConnectionHost {
 public:
  capnp::Capability::Client OnConnected(rpc::ConnectionId id, const std::string& peer) override {
    return kj::heap<Forgetful>(*this);
  }
  void OnDisconnected(rpc::ConnectionId id) override { ++disconnected; }

  int registered = 0;
  int disconnected = 0;

 private:
  class Forgetful final : public wire::JobManager::Server {
   public:
    explicit Forgetful(SilentJobManager& owner) : owner_(owner) {}
    kj::Promise<void> greet(GreetContext context) override {
      context.getResults().initOutcome().initAccepted();
      return kj::READY_NOW;
    }
    kj::Promise<void> register_(RegisterContext context) override {
      ++owner_.registered;
      auto accepted = context.getResults().initOutcome().initAccepted();
      accepted.setEpoch(1);
      accepted.setHeartbeatIntervalUs(10'000);
      accepted.setHeartbeatTimeoutUs(50'000);
      return kj::READY_NOW;
    }

   private:
    SilentJobManager& owner_;
  };
};

// A connection whose calls a test makes by hand.
class RawPeer {
 public:
  RawPeer(Machine& machine, const std::string& address)
      : machine_(machine),
        connection_(machine.loop, address, absl::Seconds(20),
                    {.connected = [this] { is_connected_ = true; },
                     .ended = [this](const absl::Status& cause) { ended = cause; }}) {}

  wire::JobManager::Client JobManager() {
    REQUIRE(machine_.driver.RunUntil([this] { return is_connected_; }));
    return connection_.Bootstrap().castAs<wire::JobManager>();
  }
  template <class T>
  T Wait(kj::Promise<T> promise) {
    std::vector<T> results;
    auto waiting = promise.then([&results](T value) { results.push_back(kj::mv(value)); })
                       .eagerlyEvaluate([](kj::Exception&& exception) {
                         FAIL(exception.getDescription().cStr());
                       });
    REQUIRE(machine_.driver.RunUntil([&results] { return !results.empty(); }));
    return std::move(results[0]);
  }

  absl::Status ended;

 private:
  Machine& machine_;
  bool is_connected_ = false;
  rpc::ClientConnection connection_;
};

absl::Status OutcomeOf(wire::Welcome::Reader welcome) {
  return welcome.isFailed() ? rpc::ReadError(welcome.getFailed()) : absl::OkStatus();
}

rpc::TaskManagerFacts SampleFacts() {
  return {.id = kId,
          .host = "here",
          .data_address = "127.0.0.1:6121",
          .http_address = "",
          .slots = 1,
          .pid = 1,
          .build_version = "0.1.0"};
}

absl::Status Greet(RawPeer& peer, uint32_t protocol, const char* build) {
  auto jobmanager = peer.JobManager();
  auto request = jobmanager.greetRequest();
  request.setProtocol(protocol);
  request.setBuild(build);
  return peer.Wait(
      request.send().then([](auto&& results) { return OutcomeOf(results.getOutcome()); }));
}

absl::Status Register(RawPeer& peer, const rpc::TaskManagerFacts& facts) {
  auto jobmanager = peer.JobManager();
  auto request = jobmanager.registerRequest();
  rpc::WriteFacts(facts, request.initFacts());
  request.setTaskManager(kj::heap<SilentTaskManager>());
  return peer.Wait(request.send().then([](auto&& results) {
    const auto outcome = results.getOutcome();
    return outcome.isFailed() ? rpc::ReadError(outcome.getFailed()) : absl::OkStatus();
  }));
}

TEST_CASE("A taskmanager that answers no heartbeat is lost after the timeout",
          "[server][integration][threads]") {
  Machine machine;
  server::RegistrationOptions options;
  options.heartbeat = {.interval = absl::Milliseconds(5), .timeout = absl::Milliseconds(50)};
  JobManagerEnd jobmanager(machine, options);
  RawPeer peer(machine, jobmanager.service->address());
  REQUIRE(Greet(peer, rpc::kProtocolVersion, "0.1.0").ok());
  REQUIRE(Register(peer, SampleFacts()).ok());
  REQUIRE(machine.driver.RunUntil([&] { return !jobmanager.registrar.lost.empty(); }));
  CHECK(jobmanager.registrar.lost[0].first == kId);
  CHECK(absl::IsDeadlineExceeded(jobmanager.registrar.lost[0].second));
  CHECK(absl::StrContains(jobmanager.registrar.lost[0].second.message(), "heartbeat for 50ms"));
  CHECK(machine.driver.RunUntil([&] { return !peer.ended.ok(); }));
}

TEST_CASE("A jobmanager that sends no heartbeat is lost after its timeout",
          "[server][integration][threads]") {
  Machine machine;
  SilentJobManager silent;
  auto port = rpc::ServerPort::Open(machine.loop, "127.0.0.1", 0, silent);
  REQUIRE(port.ok());
  TaskManagerEnd taskmanager(machine, (*port)->address(), kId);
  taskmanager.holds = true;
  taskmanager.Start();
  REQUIRE(machine.driver.RunUntil([&] { return !taskmanager.lost.empty(); }));
  CHECK(silent.registered == 1);
  CHECK(absl::IsDeadlineExceeded(taskmanager.lost[0]));
  CHECK(absl::StrContains(taskmanager.lost[0].message(), "no heartbeat for 50ms"));
  CHECK(machine.driver.RunUntil([&] { return silent.disconnected == 1; }));
}

TEST_CASE("A taskmanager of another protocol is refused", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, {});
  RawPeer peer(machine, jobmanager.service->address());
  const absl::Status refused = Greet(peer, rpc::kProtocolVersion + 1, "0.1.0");
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(absl::StrContains(refused.message(), absl::StrCat("protocol ", rpc::kProtocolVersion + 1)));
  // Nor can it register without a greeting.
  CHECK(absl::IsFailedPrecondition(Register(peer, SampleFacts())));
  CHECK_FALSE(jobmanager.registrar.registered.has_value());
}

TEST_CASE("A greeting and a registration come once", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, {});
  RawPeer peer(machine, jobmanager.service->address());
  CHECK(Greet(peer, rpc::kProtocolVersion, "0.1.0").ok());
  CHECK(absl::IsFailedPrecondition(Greet(peer, rpc::kProtocolVersion, "0.1.0")));
  CHECK(Register(peer, SampleFacts()).ok());
  CHECK(absl::IsFailedPrecondition(Register(peer, SampleFacts())));
  CHECK(jobmanager.registrar.order == std::vector<std::string>{"registered"});
}

TEST_CASE("Facts that cannot be are refused", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, {});
  RawPeer peer(machine, jobmanager.service->address());
  REQUIRE(Greet(peer, rpc::kProtocolVersion, "0.1.0").ok());
  rpc::TaskManagerFacts facts = SampleFacts();
  facts.slots = 0;
  CHECK(absl::IsInvalidArgument(Register(peer, facts)));
  facts = SampleFacts();
  facts.build_version = "0.2.0";
  CHECK(absl::IsFailedPrecondition(Register(peer, facts)));
  CHECK_FALSE(jobmanager.registrar.registered.has_value());
}

TEST_CASE("Bytes that are no message end their connection and no other",
          "[server][integration][threads]") {
  const std::string bytes =
      GENERATE(std::string("GET / HTTP/1.1\r\nHost: weir\r\n\r\n"), std::string(4096, '\xff'),
               // One segment of 4 GiB, and a segment of nothing.
               std::string("\x00\x00\x00\x00\xff\xff\xff\x1f", 8),
               std::string("\x00\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff", 16));
  Machine machine;
  JobManagerEnd jobmanager(machine, {});
  auto& network = machine.loop.io().provider->getNetwork();
  bool has_ended = false;
  char answer[256];
  auto raw = network.parseAddress(jobmanager.service->address().c_str())
                 .then([](kj::Own<kj::NetworkAddress> address) {
                   return address->connect().attach(kj::mv(address));
                 })
                 .then([&](kj::Own<kj::AsyncIoStream> stream) {
                   auto written = stream->write(bytes.data(), bytes.size());
                   return written
                       .then([&answer, &to = *stream] {
                         return to.tryRead(answer, 256, 256).ignoreResult();
                       })
                       .attach(kj::mv(stream));
                 })
                 .then([&] { has_ended = true; }, [&](kj::Exception&&) { has_ended = true; })
                 .eagerlyEvaluate(nullptr);
  CHECK(machine.driver.RunUntil([&] { return has_ended; }));
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  CHECK(machine.driver.RunUntil([&] { return taskmanager.client.IsRegistered(); }));
}

TEST_CASE("A connection that does not register is closed", "[server][integration][threads]") {
  Machine machine;
  server::RegistrationOptions options;
  options.registration_timeout = absl::Milliseconds(100);
  JobManagerEnd jobmanager(machine, options);
  TaskManagerEnd taskmanager(machine, jobmanager.service->address(), kId);
  taskmanager.Start();
  RawPeer peer(machine, jobmanager.service->address());
  REQUIRE(Greet(peer, rpc::kProtocolVersion, "0.1.0").ok());
  CHECK(machine.driver.RunUntil([&] { return !peer.ended.ok(); }));
  machine.driver.RunFor(absl::Milliseconds(150));
  CHECK(taskmanager.client.IsRegistered());
  CHECK(taskmanager.lost.empty());
}

TEST_CASE("A message larger than the limit is not sent", "[server][integration][threads]") {
  Machine machine;
  JobManagerEnd jobmanager(machine, {});
  RawPeer peer(machine, jobmanager.service->address());
  const auto greet = [&peer](size_t bytes) {
    auto jobmanager_client = peer.JobManager();
    auto request = jobmanager_client.greetRequest();
    request.setBuild(std::string(bytes, 'b').c_str());
    return request.send()
        .then([](auto&& results) { return OutcomeOf(results.getOutcome()).code(); },
              [](kj::Exception&& e) { return rpc::FromException(e, "greet").code(); })
        .eagerlyEvaluate(nullptr);
  };
  // What surrounds the text takes less than a kilobyte.
  CHECK(peer.Wait(greet(rpc::kMessageBytesMax - 1024)) == absl::StatusCode::kFailedPrecondition);
  CHECK(peer.ended.ok());
  CHECK(peer.Wait(greet(rpc::kMessageBytesMax)) == absl::StatusCode::kInternal);
  CHECK(peer.ended.ok());
}

TEST_CASE("A port with all its connections refuses more until one ends", "[rpc][integration]") {
  Machine machine;
  SilentJobManager silent;
  auto port = rpc::ServerPort::Open(machine.loop, "127.0.0.1", 0, silent, /*connections_max=*/2);
  REQUIRE(port.ok());
  RawPeer first(machine, (*port)->address());
  auto second = std::make_unique<RawPeer>(machine, (*port)->address());
  CHECK(Greet(first, rpc::kProtocolVersion, "0.1.0").ok());
  CHECK(Greet(*second, rpc::kProtocolVersion, "0.1.0").ok());
  RawPeer third(machine, (*port)->address());
  CHECK(machine.driver.RunUntil([&] { return !third.ended.ok(); }));
  CHECK(absl::IsUnavailable(third.ended));
  second.reset();
  REQUIRE(machine.driver.RunUntil([&] { return silent.disconnected == 1; }));
  RawPeer fourth(machine, (*port)->address());
  CHECK(Greet(fourth, rpc::kProtocolVersion, "0.1.0").ok());
  CHECK(first.ended.ok());
}

TEST_CASE("A port that cannot be listened on says why", "[rpc][integration]") {
  Machine machine;
  const auto listener = rpc::ListenTcp(machine.loop, "localhost", 0);
  REQUIRE(listener.ok());
  CHECK(listener->port != 0);
  CHECK(listener->address == absl::StrCat("127.0.0.1:", listener->port));

  const auto again = rpc::ListenTcp(machine.loop, "127.0.0.1", listener->port);
  CHECK(absl::IsFailedPrecondition(again.status()));
  CHECK(absl::StrContains(again.status().message(), listener->address));
  CHECK(absl::StrContains(again.status().message(), "the port is in use"));

  const auto nowhere = rpc::ListenTcp(machine.loop, "no.such.host.invalid", 0);
  CHECK(absl::IsInvalidArgument(nowhere.status()));
  CHECK(absl::StrContains(nowhere.status().message(), "no.such.host.invalid"));

  const auto foreign = rpc::ListenTcp(machine.loop, "192.0.2.1", 0);
  CHECK(absl::IsFailedPrecondition(foreign.status()));
  CHECK(absl::StrContains(foreign.status().message(), "no such address"));
}

TEST_CASE("A connection that does not come about ends with the address", "[rpc][integration]") {
  Machine machine;
  std::string address;
  {
    const auto listener = rpc::ListenTcp(machine.loop, "127.0.0.1", 0);
    REQUIRE(listener.ok());
    address = listener->address;
  }
  absl::Status ended;
  const auto connect_to = [&](const std::string& to) {
    ended = absl::OkStatus();
    rpc::ClientConnection connection(
        machine.loop, to, absl::Seconds(20),
        {.connected = [] { FAIL("nobody listens"); },
         .ended = [&ended](const absl::Status& cause) { ended = cause; }});
    CHECK(machine.driver.RunUntil([&] { return !ended.ok(); }));
    CHECK(absl::IsUnavailable(ended));
    CHECK(absl::StartsWith(ended.message(), to));
  };
  connect_to(address);
  CHECK(absl::StrContains(ended.message(), "refused"));
  connect_to("no.such.host.invalid:1");
  connect_to("not an address");
}

}  // namespace
}  // namespace weir
