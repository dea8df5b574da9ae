// HttpConnection: what one connection of an HttpServer asks, and its answers.
#pragma once

#include <memory>

#include <kj/async-io.h>
#include <kj/compat/http.h>
#include <kj/timer.h>

#include "common/rpc/http/http_server.h"
#include "common/rpc/http/request_line_stream.h"

namespace weir::rpc {

// What the connections of a server have in common; outlives them.
struct HttpConnectionContext {
  kj::Timer& timer;
  const kj::HttpHeaderTable& table;
  HttpHandler& handler;
  const HttpServerOptions& options;
};

// Life:   outlives the promise of Run().
// Thread: the loop's.
class HttpConnection final : private kj::HttpService,
                             private kj::HttpServerCallbacks,
                             private kj::HttpServerErrorHandler {
 public:
  explicit HttpConnection(HttpConnectionContext context);

  // Serves until the peer ends the connection, or it gave way. Called once.
  kj::Promise<void> Run(kj::Own<kj::AsyncIoStream> stream);

  // The handler has its request, and the answer has not left yet.
  bool IsAnswering() const { return is_answering_; }
  bool IsLeaving() const { return is_leaving_; }
  // Ends the connection soon, never inside the call.
  void Leave() {
    is_leaving_ = true;
    leave_->fulfill();
  }

 private:
  kj::Promise<void> request(kj::HttpMethod method, kj::StringPtr url,
                            const kj::HttpHeaders& headers, kj::AsyncInputStream& body,
                            Response& response) override;
  bool shouldClose() override { return closes_; }
  kj::Promise<void> handleClientProtocolError(kj::HttpHeaders::ProtocolError error,
                                              Response& response) override;
  kj::Promise<void> handleApplicationError(kj::Exception exception,
                                           kj::Maybe<Response&> response) override;
  kj::Promise<void> Handle(HttpRequest request, Response& response);
  kj::Promise<void> Send(HttpResponse answer, Response& response);

  const HttpConnectionContext context_;
  kj::HttpServer server_;
  kj::Own<kj::PromiseFulfiller<void>> leave_;
  kj::Promise<void> left_;
  RequestLineStream* stream_ = nullptr;
  bool closes_ = false;  // after the answer
  bool is_answering_ = false;
  bool is_read_ = false;  // the whole request is, so that what fails now is not the peer's fault
  bool is_leaving_ = false;
};

}  // namespace weir::rpc
