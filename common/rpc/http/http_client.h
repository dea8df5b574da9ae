// HttpClient: one request at a time over HTTP/1.1, for the command line and for tests.
#pragma once

#include <memory>
#include <string>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/rpc/control_loop.h"
#include "common/rpc/http/http_message.h"

namespace weir::rpc {

// Where a jobmanager answers.
struct HttpEndpoint {
  std::string host;
  uint16_t port = 0;
};
// "http://host:port", with or without a final slash; the port defaults to 8081.
// INVALID_ARGUMENT: another scheme, no host, or something behind the port; says what is expected.
absl::StatusOr<HttpEndpoint> ParseHttpUrl(StringView url);

// Sends `body` as JSON (empty: none) and waits for the whole answer, whatever its status.
// Blocks the loop's thread, which runs the loop meanwhile; not from inside a callback of the loop.
// UNAVAILABLE: no connection, or it broke. DEADLINE_EXCEEDED: no answer within `timeout`.
// RESOURCE_EXHAUSTED: the answer is larger than kHttpBodyBytesMax.
absl::StatusOr<HttpResponse> CallHttp(ControlLoop& loop, const HttpEndpoint& endpoint,
                                      const std::string& method, const std::string& target,
                                      const std::string& body, absl::Duration timeout);

}  // namespace weir::rpc
