// A listening TCP socket on a loop, and what every TCP connection between daemons is set to.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>
#include <kj/async-io.h>

#include "common/rpc/control_loop.h"

namespace weir::rpc {

struct TcpListener {
  kj::Own<kj::ConnectionReceiver> receiver;
  std::string address;  // numeric, with the port that was found: "127.0.0.1:6123"
  uint16_t port = 0;
};

// Listens on `host` (a name or an address; of several the first IPv4 one) and `port`; 0: a free
// one. Blocks for the look-up of the name: for the start of a process.
// INVALID_ARGUMENT: no such host. FAILED_PRECONDITION: the port is taken, or the address is not one
// of this machine. PERMISSION_DENIED. UNAVAILABLE: any other refusal of the system. Messages name
// the address and say what to do.
absl::StatusOr<TcpListener> ListenTcp(ControlLoop& loop, const std::string& host, uint16_t port);

// "127.0.0.1:40312", of the other end; "unknown" when it has gone already.
std::string PeerAddress(kj::AsyncIoStream& stream);

// Small messages leave at once, and a peer whose machine is gone is noticed within half a minute
// even if nothing is sent. A connection that has ended already is left as it is.
void TuneTcp(kj::AsyncIoStream& stream);

}  // namespace weir::rpc
