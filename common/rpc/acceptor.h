// Acceptor: takes connections from a listening socket for ever. A system that refuses one, for
// example for want of descriptors, is asked again until it has what it lacks.
#pragma once

#include <memory>
#include <string>

#include <absl/functional/any_invocable.h>
#include <kj/async-io.h>
#include <kj/timer.h>

#include "common/rpc/backoff.h"

namespace weir::rpc {

// Life:   the receiver and the timer outlive it. Destroying it ends the accepting; never from
//         inside `take`.
// Thread: the loop's.
class Acceptor {
 public:
  using Take = absl::AnyInvocable<void(kj::Own<kj::AsyncIoStream> stream)>;

  // `address` is for messages.
  Acceptor(kj::ConnectionReceiver& receiver, kj::Timer& timer, std::string address, Take take);
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  kj::Promise<void> Next();
  void OnAccepted(kj::Own<kj::AsyncIoStream> stream);
  kj::Promise<void> OnRefused(const kj::Exception& exception);

  kj::ConnectionReceiver& receiver_;
  kj::Timer& timer_;
  const std::string address_;
  Take take_;
  Backoff backoff_;
  kj::TimePoint warn_at_;   // not before
  bool is_warned_ = false;  // since the last connection
  kj::Promise<void> accepting_;
};

}  // namespace weir::rpc
