// What must hold: a system that refuses to accept, for want of descriptors or whatever else, and
// whether the accepting throws or fails later, delays connections and loses none for good.
#include "common/rpc/acceptor.h"

#include <vector>

#include <catch2/catch.hpp>
#include <kj/debug.h>

#include "common/rpc/server_port.h"
#include "tests/unit/common/rpc/scarce_descriptors.h"

namespace weir::rpc {
namespace {

constexpr absl::Duration kFarTooLong = absl::Seconds(30);

// A socket on which every second accepting fails, in turn inside the call and later.
class UnwillingReceiver final : public kj::ConnectionReceiver {
 public:
  kj::Promise<kj::Own<kj::AsyncIoStream>> accept() override {
    switch (asked_++ % 4) {
      case 0:
        KJ_FAIL_REQUIRE("refused inside the call");
      case 2:
        return KJ_EXCEPTION(FAILED, "refused later");
      default: {
        kj::TwoWayPipe pipe = kj::newTwoWayPipe();
        return kj::mv(pipe.ends[0]);
      }
    }
  }
  kj::uint getPort() override { return 0; }

 private:
  int asked_ = 0;
};

// Counts connections, and stops the loop at each.
class Counter final : public ConnectionHost {
 public:
  explicit Counter(ControlLoop& loop) : loop_(loop) {}
  capnp::Capability::Client OnConnected(ConnectionId, const std::string&) override {
    ++connected;
    loop_.Stop();
    return nullptr;
  }
  void OnDisconnected(ConnectionId) override {}

  int connected = 0;

 private:
  ControlLoop& loop_;
};

}  // namespace

TEST_CASE("an acceptor goes on whatever accepting throws", "[rpc][unit]") {
  ControlLoop loop;
  const base::TimerId limit = loop.RunAfter(kFarTooLong, [&loop] { loop.Stop(); });
  UnwillingReceiver receiver;
  int taken = 0;
  Acceptor acceptor(receiver, loop.io().provider->getTimer(), "test",
                    [&](kj::Own<kj::AsyncIoStream>) {
                      if (++taken == 4) loop.Stop();
                    });
  loop.Run();
  CHECK(taken >= 4);
  loop.Cancel(limit);
}

// Not with the sanitizer of undefined behaviour: it looks at objects through a pipe, and takes one
// for broken when there is no descriptor left for that.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("an RPC port that ran out of descriptors takes connections again", "[rpc][unit]") {
  ControlLoop loop;
  const base::TimerId limit = loop.RunAfter(kFarTooLong, [&loop] { loop.Stop(); });
  Counter counter(loop);
  const auto port = ServerPort::Open(loop, "127.0.0.1", 0, counter);
  REQUIRE(port.ok());
  testing::LoopbackClients clients((*port)->port(), 3);
  {
    testing::ScarceDescriptors scarce(/*left=*/1);
    loop.Run();
    loop.io().waitScope.poll();  // the next accepting fails
    CHECK(counter.connected == 1);
  }
  loop.Run();
  if (counter.connected == 2) loop.Run();
  CHECK(counter.connected == 3);
  loop.Cancel(limit);
}
#endif

}  // namespace weir::rpc
