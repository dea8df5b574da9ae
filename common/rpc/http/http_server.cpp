#include "common/rpc/http/http_server.h"

#include <list>
#include <optional>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>
#include <kj/async-io.h>
#include <kj/compat/http.h>

#include "common/rpc/acceptor.h"
#include "common/rpc/http/http_connection.h"

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
  const kj::Maybe<kj::Exception> failure = kj::runCatchingExceptions([&] {
    inner->port = loop.io()
                      .provider->getNetwork()
                      .parseAddress(kj::StringPtr(host.c_str()), port)
                      .wait(loop.io().waitScope)
                      ->listen();
  });
  KJ_IF_MAYBE (exception, failure) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen for HTTP on ", host, ":", port, ": ", exception->getDescription().cStr(),
        "; free the port, or set another one (0 takes a free one)"));
  }
  inner->address = absl::StrCat(host, ":", inner->port->getPort());
  inner->acceptor.emplace(
      *inner->port, loop.io().provider->getTimer(), inner->address,
      [made = inner.get()](kj::Own<kj::AsyncIoStream> stream) { made->Serve(kj::mv(stream)); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(inner)));
}

}  // namespace weir::rpc
