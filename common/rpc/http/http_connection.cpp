#include "common/rpc/http/http_connection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <glog/logging.h>

#include "common/config/diagnostic_text.h"
#include "common/rpc/http/http_body.h"

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
    case 408:
      return "Request Timeout";
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

// As docs/api.md has every error.
HttpResponse JsonError(int status, absl::StatusCode code, StringView message) {
  std::string body =
      absl::StrCat("{\"error\":{\"code\":\"", absl::StatusCodeToString(code), "\",\"message\":");
  config::AppendJsonString(message, &body);
  body += "}}\n";
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

HttpResponse BadRequest(int status, StringView message) {
  return JsonError(status, absl::StatusCode::kInvalidArgument, message);
}

// Why a path that has the methods `known` does not take the request's; nullopt: it does.
std::optional<HttpResponse> MethodError(const HttpRequest& request,
                                        std::vector<std::string> known) {
  if (known.empty()) {
    return JsonError(404, absl::StatusCode::kNotFound,
                     absl::StrCat("there is no ", request.path, "; see docs/api.md"));
  }
  const auto has = [&known](StringView method) {
    return std::find(known.begin(), known.end(), method) != known.end();
  };
  if (has("GET")) known.emplace_back("HEAD");
  if (has(request.method)) return std::nullopt;
  const std::string allowed = absl::StrJoin(known, ", ");
  HttpResponse refused =
      BadRequest(405, absl::StrCat(request.path, " takes ", allowed, ", but not ", request.method,
                                   "; see docs/api.md"));
  refused.allow = allowed;
  return refused;
}

bool ChangesNothing(kj::HttpMethod method) {
  return method == kj::HttpMethod::GET || method == kj::HttpMethod::HEAD;
}

kj::Duration ToKj(absl::Duration duration) {
  return absl::ToInt64Microseconds(duration) * kj::MICROSECONDS;
}

kj::HttpServerSettings SettingsOf(const HttpServerOptions& options,
                                  kj::HttpServerCallbacks& callbacks,
                                  kj::HttpServerErrorHandler& errors) {
  kj::HttpServerSettings settings;
  settings.headerTimeout = ToKj(options.header_timeout);
  settings.callbacks = callbacks;
  settings.errorHandler = errors;
  return settings;
}

// Whether the peer wants the connection to end with the answer.
bool AsksToClose(const kj::HttpHeaders& headers) {
  const kj::StringPtr value = headers.get(kj::HttpHeaderId::CONNECTION).orDefault("");
  for (const StringView word : absl::StrSplit(StringView(value.cStr(), value.size()), ',')) {
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(word), "close")) return true;
  }
  return false;
}

HttpResponse BodyError(const absl::Status& status) {
  return JsonError(absl::IsDeadlineExceeded(status) ? 408 : 413, status.code(), status.message());
}

}  // namespace

HttpConnection::HttpConnection(HttpConnectionContext context)
    : context_(context),
      server_(context.timer, context.table, *this, SettingsOf(context.options, *this, *this)),
      left_(nullptr) {
  auto paired = kj::newPromiseAndFulfiller<void>();
  leave_ = kj::mv(paired.fulfiller);
  left_ = kj::mv(paired.promise);
}

kj::Promise<void> HttpConnection::Run(kj::Own<kj::AsyncIoStream> stream) {
  auto watched = kj::heap<RequestLineStream>(kj::mv(stream));
  stream_ = watched.get();
  return server_.listenHttp(kj::mv(watched)).exclusiveJoin(kj::mv(left_));
}

kj::Promise<void> HttpConnection::request(kj::HttpMethod method, kj::StringPtr url,
                                          const kj::HttpHeaders& headers,
                                          kj::AsyncInputStream& body, Response& response) {
  closes_ = stream_->IsHttp10() || AsksToClose(headers);
  is_read_ = false;
  absl::StatusOr<HttpRequest> parsed = ParseHttpTarget(StringView(url.cStr(), url.size()));
  if (!parsed.ok()) return Send(BadRequest(400, parsed.status().message()), response);
  parsed->method = std::string(kj::toCharSequence(method).begin());
  if (context_.options.methods_of) {
    std::optional<HttpResponse> refused =
        MethodError(*parsed, context_.options.methods_of(parsed->path));
    if (refused.has_value()) return Send(*std::move(refused), response);
  }
  if (!ChangesNothing(method)) {
    const kj::StringPtr type = headers.get(kj::HttpHeaderId::CONTENT_TYPE).orDefault("");
    if (!absl::StartsWith(StringView(type.cStr(), type.size()), "application/json")) {
      return Send(BadRequest(415, "send `content-type: application/json`"), response);
    }
  }
  return ReadHttpBody(body, context_.timer, context_.options.body_timeout)
      .then([this, &response,
             request = *std::move(parsed)](absl::StatusOr<std::string> text) mutable {
        if (!text.ok()) return Send(BodyError(text.status()), response);
        request.body = *std::move(text);
        return Handle(std::move(request), response);
      });
}

kj::Promise<void> HttpConnection::handleClientProtocolError(kj::HttpHeaders::ProtocolError error,
                                                            Response& response) {
  return Send(BadRequest(static_cast<int>(error.statusCode),
                         StringView(error.description.cStr(), error.description.size())),
              response);
}

// What KJ says of itself, with addresses in it, is for the log.
kj::Promise<void> HttpConnection::handleApplicationError(kj::Exception exception,
                                                         kj::Maybe<Response&> response) {
  if (exception.getType() == kj::Exception::Type::DISCONNECTED) return kj::READY_NOW;
  LOG_EVERY_N(WARNING, 100) << "an HTTP request failed cause=" << exception.getDescription().cStr();
  KJ_IF_MAYBE (answer, response) {
    if (!is_read_) return Send(BadRequest(400, "the request's body is malformed"), *answer);
    return Send(JsonError(500, absl::StatusCode::kInternal, "the request failed; see the log"),
                *answer);
  }
  return kj::READY_NOW;
}

kj::Promise<void> HttpConnection::Handle(HttpRequest request, Response& response) {
  auto paired = kj::newPromiseAndFulfiller<HttpResponse>();
  is_answering_ = true;
  is_read_ = true;
  context_.handler(std::move(request),
                   [fulfiller = kj::mv(paired.fulfiller)](HttpResponse answer) mutable {
                     fulfiller->fulfill(kj::mv(answer));
                   });
  return paired.promise
      .then([this, &response](HttpResponse answer) { return Send(std::move(answer), response); })
      .attach(kj::defer([this] { is_answering_ = false; }));
}

kj::Promise<void> HttpConnection::Send(HttpResponse answer, Response& response) {
  // Unless the body was left unread: KJ takes some of it, so that the peer gets to the answer.
  if (closes_ && is_answering_) stream_->EndInput();
  kj::HttpHeaders headers(context_.table);
  headers.set(kj::HttpHeaderId::CONTENT_TYPE, kj::StringPtr(answer.content_type.c_str()));
  if (!answer.allow.empty()) headers.add("Allow", kj::StringPtr(answer.allow.c_str()));
  const std::string reason(ReasonOf(answer.status));
  kj::Own<kj::AsyncOutputStream> stream =
      response.send(static_cast<kj::uint>(answer.status), kj::StringPtr(reason.c_str()), headers,
                    answer.body.size());
  auto body = kj::heap<std::string>(std::move(answer.body));
  if (body->empty()) return kj::READY_NOW;
  kj::Promise<void> written = stream->write(body->data(), body->size());
  // A peer that does not read its answer holds the connection no longer than one that does not
  // send its request.
  kj::Promise<void> late =
      context_.timer.afterDelay(ToKj(context_.options.body_timeout)).then([this] {
        Leave();
        return kj::Promise<void>(kj::NEVER_DONE);
      });
  return written.attach(kj::mv(stream), kj::mv(body)).exclusiveJoin(kj::mv(late));
}

}  // namespace weir::rpc
