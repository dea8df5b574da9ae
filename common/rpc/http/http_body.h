// Reading the body of a request, which is bounded in size and in time.
#pragma once

#include <string>

#include <absl/status/statusor.h>
#include <absl/time/time.h>
#include <kj/async-io.h>
#include <kj/timer.h>

namespace weir::rpc {

// The whole body. RESOURCE_EXHAUSTED: it is larger than kHttpBodyBytesMax. DEADLINE_EXCEEDED: it
// has not arrived within `timeout`. `body` outlives the promise.
kj::Promise<absl::StatusOr<std::string>> ReadHttpBody(kj::AsyncInputStream& body, kj::Timer& timer,
                                                      absl::Duration timeout);

}  // namespace weir::rpc
