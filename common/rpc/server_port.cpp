#include "common/rpc/server_port.h"

#include <utility>

#include <capnp/rpc-twoparty.h>
#include <glog/logging.h>
#include <kj/timer.h>

#include "common/base/status_macros.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/vat.h"

namespace weir::rpc {
namespace {

// Until a connection that is being closed ends: time for what was sent before to leave.
constexpr kj::Duration kLinger = 20 * kj::MILLISECONDS;

}  // namespace

struct ServerPort::Connection {
  Connection(kj::Own<kj::AsyncIoStream> accepted, capnp::Capability::Client bootstrap)
      : vat(kj::mv(accepted), capnp::rpc::twoparty::Side::SERVER, kj::mv(bootstrap)) {}

  Vat vat;
  bool is_closing = false;
};

absl::StatusOr<std::unique_ptr<ServerPort>> ServerPort::Open(ControlLoop& loop,
                                                             const std::string& host, uint16_t port,
                                                             ConnectionHost& connections,
                                                             size_t connections_max) {
  WEIR_ASSIGN_OR_RETURN(TcpListener listener, ListenTcp(loop, host, port));
  return std::unique_ptr<ServerPort>(
      new ServerPort(loop, std::move(listener), connections, connections_max));
}

ServerPort::ServerPort(ControlLoop& loop, TcpListener listener, ConnectionHost& host,
                       size_t connections_max)
    : loop_(loop),
      listener_(std::move(listener)),
      host_(host),
      connections_max_(connections_max),
      tasks_(*this),
      acceptor_(*listener_.receiver, loop.io().provider->getTimer(), listener_.address,
                [this](kj::Own<kj::AsyncIoStream> stream) { Serve(kj::mv(stream)); }) {
}

ServerPort::~ServerPort() = default;

void ServerPort::Serve(kj::Own<kj::AsyncIoStream> stream) {
  const std::string peer = PeerAddress(*stream);
  if (connections_.size() >= connections_max_) {
    LOG(WARNING) << "connection refused, too many are open address=" << address()
                 << " peer=" << peer << " open=" << connections_.size();
    return;
  }
  TuneTcp(*stream);
  const ConnectionId id{++last_id_};
  auto connection = std::make_unique<Connection>(kj::mv(stream), host_.OnConnected(id, peer));
  tasks_.add(connection->vat.OnDisconnect().then([this, id] { End(id); }));
  connections_.emplace(id, std::move(connection));
}

void ServerPort::Close(ConnectionId id) {
  const auto it = connections_.find(id);
  if (it == connections_.end() || it->second->is_closing) return;
  it->second->is_closing = true;
  tasks_.add(loop_.io().provider->getTimer().afterDelay(kLinger).then([this, id] { End(id); }));
}

void ServerPort::End(ConnectionId id) {
  const auto it = connections_.find(id);
  if (it == connections_.end()) return;
  // Out of the map first: dropping the vat drops what it served, which may call back.
  const std::unique_ptr<Connection> ending = std::move(it->second);
  connections_.erase(it);
  host_.OnDisconnected(id);
}

void ServerPort::taskFailed(kj::Exception&& exception) {
  LOG(WARNING) << "connection handling failed address=" << address()
               << " cause=" << FromException(exception, "port");
}

}  // namespace weir::rpc
