// ControlLoop: the main thread's loop: native KJ with a libuv loop embedded through its backend
// descriptor (docs/adr/0008). KJ carries RPC and HTTP; libuv gives wake-ups, timers and signals.
#pragma once

#include <memory>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "common/base/mailbox.h"
#include "common/base/timer_service.h"

namespace kj {
struct AsyncIoContext;
}  // namespace kj

namespace weir::rpc {

// Life:   at most one per thread. Callbacks that did not run before the end never run.
// Thread: made, run and destroyed on one thread; only mailbox() is for others. Nothing that runs on
//         the loop may block.
class ControlLoop final : public base::TimerService {
 public:
  ControlLoop();
  ~ControlLoop() override;
  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  // Mails posted here run on the loop.
  base::Mailbox& mailbox();
  // The network and timers of KJ, for rooms that speak RPC or HTTP.
  kj::AsyncIoContext& io();

  base::TimerId RunAfter(absl::Duration delay, absl::AnyInvocable<void()> callback) override;
  void Cancel(base::TimerId id) override;

  // Runs `callback` on the loop whenever the process gets `signal`.
  // INTERNAL: the system refuses to watch it.
  absl::Status WatchSignal(int signal, absl::AnyInvocable<void()> callback);

  // Runs callbacks until Stop() was called from one of them.
  void Run();
  void Stop();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace weir::rpc
