// HttpServer: HTTP/1.1 on a control loop, one handler for every request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/functional/any_invocable.h>
#include <absl/status/statusor.h>

#include "common/rpc/control_loop.h"
#include "common/rpc/http/http_message.h"

namespace weir::rpc {

// Most connections at a time; another one is closed at once.
inline constexpr uint32_t kHttpConnectionsMax = 256;

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
  // Port 0 takes a free one. UNAVAILABLE: the address cannot be listened on; says why and what to
  // do.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(ControlLoop& loop,
                                                            const std::string& host, uint16_t port,
                                                            HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // "127.0.0.1:8081"
  std::string address() const;

 private:
  struct Inner;
  explicit HttpServer(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace weir::rpc
