// ClientConnection: one connection to a daemon's RPC port, from the attempt to its end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/time/time.h>
#include <capnp/capability.h>
#include <kj/async-io.h>
#include <kj/async.h>

#include "common/rpc/control_loop.h"

namespace weir::rpc {

// Life:      `loop` outlives it. Starts to connect when it is made; destroying it closes it
//            without another callback. It may be destroyed inside its callbacks.
// Thread:    the loop's.
// Invariant: `connected` runs at most once, `ended` at most once and last: it says that there is no
//            connection, or no more.
class ClientConnection final : private kj::TaskSet::ErrorHandler {
 public:
  struct Callbacks {
    // bootstrap() may be called from now on.
    std::function<void()> connected;
    // UNAVAILABLE: refused, unreachable or closed by the peer. DEADLINE_EXCEEDED: no connection in
    // time. Messages begin with the address.
    std::function<void(const absl::Status& cause)> ended;
  };

  // `address` is "host:port". The callbacks run later on the loop.
  ClientConnection(ControlLoop& loop, std::string address, absl::Duration deadline,
                   Callbacks callbacks);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  // What the peer serves. REQUIRES: `connected` has run.
  capnp::Capability::Client Bootstrap();

 private:
  struct Open;

  void Connect(absl::Duration deadline);
  void OnStream(kj::Own<kj::AsyncIoStream> stream);
  void End(absl::Status cause);
  // Runs `callback` from the loop's mailbox, where this object may be destroyed.
  void Tell(std::function<void()> callback);
  void taskFailed(kj::Exception&& exception) override;

  ControlLoop& loop_;
  const std::string address_;
  const Callbacks callbacks_;
  const std::shared_ptr<const bool> alive_;  // held weakly by callbacks under way
  bool ended_ = false;
  std::unique_ptr<Open> open_;  // null before the connection
  kj::TaskSet tasks_;
};

}  // namespace weir::rpc
