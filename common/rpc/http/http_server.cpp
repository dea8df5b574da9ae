#include "common/rpc/http/http_server.h"

#include <list>
#include <optional>
#include <utility>

#include <glog/logging.h>
#include <kj/async-io.h>
#include <kj/compat/http.h>

#include "common/base/status_macros.h"
#include "common/rpc/acceptor.h"
#include "common/rpc/http/http_connection.h"
#include "common/rpc/tcp_listener.h"

namespace weir::rpc {

struct HttpServer::Inner final : public kj::TaskSet::ErrorHandler {
  Inner(ControlLoop& loop, HttpHandler on_request, const HttpServerOptions& limits)
      : timer(loop.io().provider->getTimer()),
        handler(std::move(on_request)),
        options(limits),
        table(kj::HttpHeaderTable::Builder().build()),
        tasks(*this) {}

  void taskFailed(kj::Exception&& exception) override {
    VLOG(1) << "http connection ended cause=" << exception.getDescription().cStr();
  }

  void Serve(kj::Own<kj::AsyncIoStream> stream) {
    if (connections.size() >= options.connections_max && !MakeRoom()) {
      LOG_EVERY_N(WARNING, 100) << "http connection refused, all are being answered address="
                                << address << " open=" << connections.size();
      return;
    }
    auto connection =
        kj::heap<HttpConnection>(HttpConnectionContext{timer, *table, handler, options});
    HttpConnection& made = *connection;
    const auto place = connections.insert(connections.end(), &made);
    kj::Promise<void> served = made.Run(kj::mv(stream));
    tasks.add(
        served.attach(kj::mv(connection), kj::defer([this, place] { connections.erase(place); })));
  }

  // The oldest connection that can, ends; false if none can.
  bool MakeRoom() {
    for (HttpConnection* connection : connections) {
      if (connection->IsAnswering() || connection->IsLeaving()) continue;
      connection->Leave();
      return true;
    }
    return false;
  }

  kj::Timer& timer;
  HttpHandler handler;
  const HttpServerOptions options;
  kj::Own<kj::HttpHeaderTable> table;
  kj::Own<kj::ConnectionReceiver> port;
  std::string address;
  std::list<HttpConnection*> connections;  // the oldest first; `tasks` owns them
  kj::TaskSet tasks;                       // below the others: what runs in it uses them
  std::optional<Acceptor> acceptor;
};

HttpServer::HttpServer(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {
}
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
  return inner_->address;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(ControlLoop& loop,
                                                               const std::string& host,
                                                               uint16_t port, HttpHandler handler,
                                                               const HttpServerOptions& options) {
  auto inner = std::make_unique<Inner>(loop, std::move(handler), options);
  WEIR_ASSIGN_OR_RETURN(TcpListener listener, ListenTcp(loop, host, port));
  inner->port = kj::mv(listener.receiver);
  inner->address = std::move(listener.address);
  inner->acceptor.emplace(
      *inner->port, loop.io().provider->getTimer(), inner->address,
      [made = inner.get()](kj::Own<kj::AsyncIoStream> stream) { made->Serve(kj::mv(stream)); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(inner)));
}

}  // namespace weir::rpc
