#include "common/rpc/http/http_server.h"

#include <optional>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <glog/logging.h>
#include <kj/async-io.h>
#include <kj/compat/http.h>

#include "common/rpc/acceptor.h"

namespace weir::rpc {
namespace {

StringView ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 503:
      return "Service Unavailable";
    default:
      return status < 500 ? "Error" : "Internal Server Error";
  }
}

HttpResponse PlainError(int status, StringView message) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = absl::StrCat(message, "\n")};
}

bool ChangesNothing(kj::HttpMethod method) {
  return method == kj::HttpMethod::GET || method == kj::HttpMethod::HEAD;
}

}  // namespace

struct HttpServer::Inner final : public kj::HttpService, public kj::TaskSet::ErrorHandler {
  Inner(ControlLoop& loop, HttpHandler on_request)
      : handler(std::move(on_request)),
        table(kj::HttpHeaderTable::Builder().build()),
        server(loop.io().provider->getTimer(), *table, *this),
        tasks(*this) {}

  kj::Promise<void> request(kj::HttpMethod method, kj::StringPtr url,
                            const kj::HttpHeaders& headers, kj::AsyncInputStream& body,
                            Response& response) override {
    absl::StatusOr<HttpRequest> parsed = ParseHttpTarget(StringView(url.cStr(), url.size()));
    if (!parsed.ok()) return Send(PlainError(400, parsed.status().message()), response);
    parsed->method = std::string(kj::toCharSequence(method).begin());
    if (!ChangesNothing(method)) {
      const kj::StringPtr type = headers.get(kj::HttpHeaderId::CONTENT_TYPE).orDefault("");
      if (!absl::StartsWith(StringView(type.cStr(), type.size()), "application/json")) {
        return Send(PlainError(415, "send `content-type: application/json`"), response);
      }
    }
    if (const kj::Maybe<uint64_t> length = body.tryGetLength();
        length.orDefault(0) > kHttpBodyBytesMax) {
      return Send(
          PlainError(413, absl::StrCat("the body is larger than ", kHttpBodyBytesMax, " bytes")),
          response);
    }
    return body.readAllText(kHttpBodyBytesMax)
        .then([this, &response, request = *std::move(parsed)](kj::String text) mutable {
          request.body.assign(text.cStr(), text.size());
          return Handle(std::move(request), response);
        });
  }

  kj::Promise<void> Handle(HttpRequest request, Response& response) {
    auto paired = kj::newPromiseAndFulfiller<HttpResponse>();
    handler(std::move(request),
            [fulfiller = kj::mv(paired.fulfiller)](HttpResponse answer) mutable {
              fulfiller->fulfill(kj::mv(answer));
            });
    return paired.promise.then(
        [this, &response](HttpResponse answer) { return Send(std::move(answer), response); });
  }

  kj::Promise<void> Send(HttpResponse answer, Response& response) {
    kj::HttpHeaders headers(*table);
    headers.set(kj::HttpHeaderId::CONTENT_TYPE, kj::StringPtr(answer.content_type.c_str()));
    const std::string reason(ReasonOf(answer.status));
    kj::Own<kj::AsyncOutputStream> stream =
        response.send(static_cast<kj::uint>(answer.status), kj::StringPtr(reason.c_str()), headers,
                      answer.body.size());
    auto body = kj::heap<std::string>(std::move(answer.body));
    kj::Promise<void> written = body->empty() ? kj::Promise<void>(kj::READY_NOW)
                                              : stream->write(body->data(), body->size());
    return written.attach(kj::mv(stream), kj::mv(body));
  }

  void taskFailed(kj::Exception&& exception) override {
    VLOG(1) << "http connection ended cause=" << exception.getDescription().cStr();
  }

  void Serve(kj::Own<kj::AsyncIoStream> stream) {
    if (connections >= kHttpConnectionsMax) return;
    ++connections;
    tasks.add(server.listenHttp(kj::mv(stream)).attach(kj::defer([this] { --connections; })));
  }

  HttpHandler handler;
  kj::Own<kj::HttpHeaderTable> table;
  kj::HttpServer server;
  kj::Own<kj::ConnectionReceiver> port;
  std::string address;
  uint32_t connections = 0;
  kj::TaskSet tasks;  // below the others: what runs in it uses them
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
                                                               uint16_t port, HttpHandler handler) {
  auto inner = std::make_unique<Inner>(loop, std::move(handler));
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
