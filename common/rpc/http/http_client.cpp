#include "common/rpc/http/http_client.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <kj/async-io.h>
#include <kj/compat/http.h>

#include "common/rpc/error_codec.h"

namespace weir::rpc {
namespace {

constexpr uint16_t kDefaultPort = 8081;

using Answer = absl::StatusOr<HttpResponse>;

// One connection with its one request; kept alive by the promise of the answer.
struct Call {
  kj::Own<kj::HttpHeaderTable> table = kj::HttpHeaderTable::Builder().build();
  kj::Own<kj::AsyncIoStream> stream;
  kj::Own<kj::HttpClient> client;
  std::string method;
  std::string target;
  std::string host;
  std::string body;
};

kj::Promise<Answer> ReadAnswer(kj::HttpClient::Response response) {
  HttpResponse answer{.status = static_cast<int>(response.statusCode)};
  const kj::StringPtr type = response.headers->get(kj::HttpHeaderId::CONTENT_TYPE).orDefault("");
  answer.content_type.assign(type.cStr(), type.size());
  if (response.body->tryGetLength().orDefault(0) > kHttpBodyBytesMax) {
    return Answer(absl::ResourceExhaustedError(
        absl::StrCat("the answer is larger than ", kHttpBodyBytesMax, " bytes")));
  }
  kj::Promise<kj::String> text = response.body->readAllText(kHttpBodyBytesMax);
  return text.attach(kj::mv(response.body))
      .then([answer = std::move(answer)](kj::String body) mutable -> Answer {
        answer.body.assign(body.cStr(), body.size());
        return std::move(answer);
      });
}

kj::Promise<Answer> Send(Call& call) {
  kj::HttpHeaders headers(*call.table);
  headers.set(kj::HttpHeaderId::HOST, kj::StringPtr(call.host.c_str()));
  kj::HttpMethod method = kj::HttpMethod::GET;
  if (call.method == "POST") method = kj::HttpMethod::POST;
  if (call.method == "DELETE") method = kj::HttpMethod::DELETE;
  if (method != kj::HttpMethod::GET) {
    headers.set(kj::HttpHeaderId::CONTENT_TYPE, kj::StringPtr("application/json"));
  }
  kj::HttpClient::Request request = call.client->request(method, kj::StringPtr(call.target.c_str()),
                                                         headers, uint64_t{call.body.size()});
  kj::Promise<void> written = kj::READY_NOW;
  if (!call.body.empty()) {
    written = request.body->write(call.body.data(), call.body.size());
  }
  return written.attach(kj::mv(request.body))
      .then([response = kj::mv(request.response)]() mutable { return kj::mv(response); })
      .then([](kj::HttpClient::Response response) { return ReadAnswer(kj::mv(response)); });
}

}  // namespace

absl::StatusOr<HttpEndpoint> ParseHttpUrl(StringView url) {
  const auto bad = [url](StringView why) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", url, "' ", why, "; an address looks like http://127.0.0.1:8081"));
  };
  StringView rest = url;
  if (absl::StartsWith(rest, "https://")) return bad("asks for TLS, which is not available");
  if (absl::StrContains(rest, "://") && !absl::ConsumePrefix(&rest, "http://")) {
    return bad("has a scheme that is not http");
  }
  if (const size_t at = rest.find('@'); at != StringView::npos) {
    // Without the password, which should not come into logs.
    return absl::InvalidArgumentError(absl::StrCat(
        "the address of ", rest.substr(at + 1),
        " names a user; a jobmanager has no users, an address looks like http://127.0.0.1:8081"));
  }
  absl::ConsumeSuffix(&rest, "/");
  const size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
  if (host_end == 0) return bad("names no host");
  if (host_end < rest.size()) {
    return bad(absl::StrCat("has '", rest.substr(host_end), "' behind host and port"));
  }
  HttpEndpoint endpoint{.host = std::string(rest), .port = kDefaultPort};
  const size_t colon = rest.rfind(':');
  if (colon != StringView::npos) {
    uint32_t port = 0;
    if (!absl::SimpleAtoi(rest.substr(colon + 1), &port) || port == 0 || port > 65535) {
      return bad("has no port from 1 to 65535 behind the colon");
    }
    endpoint.port = static_cast<uint16_t>(port);
    endpoint.host = std::string(rest.substr(0, colon));
  }
  if (endpoint.host.empty()) return bad("names no host");
  return endpoint;
}

absl::StatusOr<HttpResponse> CallHttp(ControlLoop& loop, const HttpEndpoint& endpoint,
                                      const std::string& method, const std::string& target,
                                      const std::string& body, absl::Duration timeout) {
  kj::AsyncIoContext& io = loop.io();
  auto call = kj::heap<Call>();
  call->method = method;
  call->target = target;
  call->body = body;
  call->host = absl::StrCat(endpoint.host, ":", endpoint.port);
  Call& made = *call;
  const std::string where = made.host;
  kj::Promise<Answer> answer =
      io.provider->getNetwork()
          .parseAddress(kj::StringPtr(endpoint.host.c_str()), endpoint.port)
          .then([](kj::Own<kj::NetworkAddress> address) {
            kj::Promise<kj::Own<kj::AsyncIoStream>> connected = address->connect();
            return connected.attach(kj::mv(address));
          })
          .then([&made](kj::Own<kj::AsyncIoStream> stream) {
            made.stream = kj::mv(stream);
            made.client = kj::newHttpClient(*made.table, *made.stream);
            return Send(made);
          })
          .attach(kj::mv(call));
  kj::Promise<Answer> late =
      io.provider->getTimer()
          .afterDelay(absl::ToInt64Microseconds(timeout) * kj::MICROSECONDS)
          .then([where, timeout]() -> Answer {
            return absl::DeadlineExceededError(
                absl::StrCat(where, " has not answered within ", absl::FormatDuration(timeout)));
          });
  std::optional<Answer> got;
  const kj::Maybe<kj::Exception> failure = kj::runCatchingExceptions(
      [&] { got = answer.exclusiveJoin(kj::mv(late)).wait(io.waitScope); });
  KJ_IF_MAYBE (exception, failure) {
    return absl::UnavailableError(
        absl::StrCat("no answer from ", where, ": ", CauseOf(*exception)));
  }
  return *std::move(got);
}

}  // namespace weir::rpc
