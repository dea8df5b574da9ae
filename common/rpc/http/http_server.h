// HttpServer: HTTP/1.1 on a control loop, one handler for every request.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/rpc/control_loop.h"
#include "common/rpc/http/http_message.h"

namespace weir::rpc {

// What peers may take. A connection that waits for a request is closed after `header_timeout`, and
// while one request after the other comes it may stay.
struct HttpServerOptions {
  // For one more the oldest that is not being answered gives way; if all are, it is closed at once.
  uint32_t connections_max = 256;
  absl::Duration header_timeout = absl::Seconds(15);
  absl::Duration body_timeout = absl::Seconds(30);  // for all of a request's body, or an answer's
  // The methods that a path has; GET stands for HEAD, too. None: 404 before all else, and another
  // method is a 405. Without the function the handler sees them all.
  std::function<std::vector<std::string>(const std::string& path)> methods_of;
};

// Answers one request: called once, on the loop, now or later. Destroyed uncalled: 500.
using HttpRespond = absl::AnyInvocable<void(HttpResponse response)>;
using HttpHandler = absl::AnyInvocable<void(HttpRequest request, HttpRespond respond)>;

// What comes over the network is bounded and checked before the handler sees it. A request that
// changes something (any method but GET and HEAD) must say `content-type: application/json`, which
// a foreign web page in a browser cannot without asking first.
//
// Life:   outlived by the loop; destroying it ends every connection.
// Thread: the loop's.
class HttpServer {
 public:
  // Port 0 takes a free one. Errors of ListenTcp().
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(ControlLoop& loop,
                                                            const std::string& host, uint16_t port,
                                                            HttpHandler handler,
                                                            const HttpServerOptions& options = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Numeric, with the port that was found: "127.0.0.1:8081".
  std::string address() const;

 private:
  struct Inner;
  explicit HttpServer(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace weir::rpc
