// WithDeadline(): an end to every wait for an answer.
#pragma once

#include <utility>

#include <absl/time/time.h>
#include <kj/async.h>
#include <kj/exception.h>
#include <kj/string.h>
#include <kj/timer.h>

#include "common/rpc/error_codec.h"

namespace weir::rpc {

inline kj::Duration ToKj(absl::Duration duration) {
  return absl::ToInt64Nanoseconds(duration) * kj::NANOSECONDS;
}

// `promise`, or after `deadline` an exception that FromException() calls DEADLINE_EXCEEDED. The
// call itself is cancelled, which its receiver may not notice.
template <class T>
kj::Promise<T> WithDeadline(kj::Timer& timer, absl::Duration deadline, kj::Promise<T> promise) {
  return promise.exclusiveJoin(timer.afterDelay(ToKj(deadline)).then([]() -> kj::Promise<T> {
    return kj::Exception(kj::Exception::Type::OVERLOADED, __FILE__, __LINE__,
                         kj::heapString(kDeadlineText));
  }));
}

}  // namespace weir::rpc
