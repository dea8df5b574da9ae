// RawExchange: bytes to a server, and what it sends back first, without an HTTP client in between.
#pragma once

#include <string>

#include <kj/async-io.h>

#include "common/rpc/http/http_client.h"

namespace weir::testing {

inline std::string RawExchange(rpc::ControlLoop& loop, const rpc::HttpEndpoint& endpoint,
                               const std::string& request) {
  kj::AsyncIoContext& io = loop.io();
  auto address = io.provider->getNetwork()
                     .parseAddress(kj::StringPtr(endpoint.host.c_str()), endpoint.port)
                     .wait(io.waitScope);
  auto stream = address->connect().wait(io.waitScope);
  stream->write(request.data(), request.size()).wait(io.waitScope);
  std::string answer(4096, '\0');
  const size_t size = stream->tryRead(answer.data(), 1, answer.size()).wait(io.waitScope);
  answer.resize(size);
  return answer;
}

}  // namespace weir::testing
