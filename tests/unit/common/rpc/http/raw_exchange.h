// Bytes to a server, and what it sends back, without an HTTP client in between.
#pragma once

#include <string>

#include <kj/async-io.h>
#include <kj/exception.h>

#include "common/rpc/http/http_client.h"

namespace weir::testing {

// Life: the loop outlives it. Thread: the loop's, outside of callbacks.
class RawConnection {
 public:
  RawConnection(rpc::ControlLoop& loop, const rpc::HttpEndpoint& endpoint)
      : wait_scope_(loop.io().waitScope),
        stream_(loop.io()
                    .provider->getNetwork()
                    .parseAddress(kj::StringPtr(endpoint.host.c_str()), endpoint.port)
                    .wait(wait_scope_)
                    ->connect()
                    .wait(wait_scope_)) {}

  void Write(const std::string& text) {
    stream_->write(text.data(), text.size()).wait(wait_scope_);
  }
  // What comes next; empty when the server has ended the connection.
  std::string Read() {
    std::string answer(4096, '\0');
    size_t size = 0;
    // A connection that ends before everything sent was read may end with an error.
    const kj::Maybe<kj::Exception> reset = kj::runCatchingExceptions(
        [&] { size = stream_->tryRead(answer.data(), 1, answer.size()).wait(wait_scope_); });
    answer.resize(reset == nullptr ? size : 0);
    return answer;
  }
  std::string ReadToEnd() {
    std::string all;
    for (std::string next = Read(); !next.empty(); next = Read()) all += next;
    return all;
  }

 private:
  kj::WaitScope& wait_scope_;
  kj::Own<kj::AsyncIoStream> stream_;
};

// What the server sends first.
inline std::string RawExchange(rpc::ControlLoop& loop, const rpc::HttpEndpoint& endpoint,
                               const std::string& request) {
  RawConnection connection(loop, endpoint);
  connection.Write(request);
  return connection.Read();
}

}  // namespace weir::testing
