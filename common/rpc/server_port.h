// ServerPort: a TCP port that serves Cap'n Proto RPC, one vat per connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <capnp/capability.h>
#include <kj/async.h>

#include "common/rpc/acceptor.h"
#include "common/rpc/control_loop.h"
#include "common/rpc/tcp_listener.h"

namespace weir::rpc {

// Most connections of one port at a time: a taskmanager takes one, and a cluster has fewer.
inline constexpr size_t kConnectionsMax = 4096;

// Names a connection of one port; never used again.
enum class ConnectionId : uint64_t {};

// Told of connections. Thread: the loop's. Neither call may destroy the port.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  // What the connection is served with. `peer` is the other end's address.
  virtual capnp::Capability::Client OnConnected(ConnectionId id, const std::string& peer) = 0;
  // Once per connection, also after Close(): nothing more comes from it, calls to it fail.
  virtual void OnDisconnected(ConnectionId id) = 0;
};

// Life:   `loop` and `host` outlive it. Destroying it ends every connection without
//         OnDisconnected().
// Thread: the loop's.
class ServerPort final : private kj::TaskSet::ErrorHandler {
 public:
  // What comes beyond `connections_max` is closed at once, with a warning. Errors of ListenTcp().
  static absl::StatusOr<std::unique_ptr<ServerPort>> Open(ControlLoop& loop,
                                                          const std::string& host, uint16_t port,
                                                          ConnectionHost& connections,
                                                          size_t connections_max = kConnectionsMax);
  ~ServerPort();
  ServerPort(const ServerPort&) = delete;
  ServerPort& operator=(const ServerPort&) = delete;

  const std::string& address() const { return listener_.address; }
  uint16_t port() const { return listener_.port; }

  // Ends a connection soon, never inside the call: messages sent before may still leave. Unknown
  // ids are ignored.
  void Close(ConnectionId id);

 private:
  struct Connection;

  ServerPort(ControlLoop& loop, TcpListener listener, ConnectionHost& host, size_t connections_max);
  void Serve(kj::Own<kj::AsyncIoStream> stream);
  void End(ConnectionId id);
  void taskFailed(kj::Exception&& exception) override;

  ControlLoop& loop_;
  TcpListener listener_;
  ConnectionHost& host_;
  const size_t connections_max_;
  uint64_t last_id_ = 0;
  std::map<ConnectionId, std::unique_ptr<Connection>> connections_;
  kj::TaskSet tasks_;
  Acceptor acceptor_;  // last: what it accepts goes into the others
};

}  // namespace weir::rpc
