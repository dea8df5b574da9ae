#include "common/rpc/control_loop.h"

#include <map>
#include <utility>
#include <uv.h>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <kj/async-io.h>
#include <kj/async-unix.h>

#include "common/base/check.h"
#include "common/base/clock.h"

namespace weir::rpc {
namespace {

// libuv counts in whole milliseconds; rounding up keeps a timer from firing early.
uint64_t WholeMilliseconds(absl::Duration delay) {
  if (delay <= absl::ZeroDuration()) return 0;
  const int64_t floor = absl::ToInt64Milliseconds(delay);
  return static_cast<uint64_t>(absl::Milliseconds(floor) < delay ? floor + 1 : floor);
}

}  // namespace

struct ControlLoop::Inner {
  struct Timer {
    absl::Duration deadline;
    absl::AnyInvocable<void()> callback;
  };
  struct Signal {
    uv_signal_t handle{};
    absl::AnyInvocable<void()> callback;
  };

  Inner()
      : io(kj::setupAsyncIo()),
        stopped(kj::newPromiseAndFulfiller<void>()),
        mailbox([this] { uv_async_send(&wake); }) {
    WEIR_CHECK(uv_loop_init(&loop) == 0);
    WEIR_CHECK(uv_async_init(&loop, &wake, [](uv_async_t* handle) {
                 static_cast<Inner*>(handle->data)->mailbox.Drain();
               }) == 0);
    wake.data = this;
    WEIR_CHECK(uv_timer_init(&loop, &next_timer) == 0);
    next_timer.data = this;
    observer = kj::heap<kj::UnixEventPort::FdObserver>(io.unixEventPort, uv_backend_fd(&loop),
                                                       kj::UnixEventPort::FdObserver::OBSERVE_READ);
  }

  ~Inner() {
    mailbox.Close();
    for (const std::unique_ptr<Signal>& signal : signals) Close(&signal->handle);
    Close(&wake);
    Close(&next_timer);
    uv_run(&loop, UV_RUN_DEFAULT);  // runs the close callbacks
    observer = nullptr;
    WEIR_CHECK(uv_loop_close(&loop) == 0);
  }

  template <class Handle>
  static void Close(Handle* handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), nullptr);
  }

  // Runs what is ready in libuv, then waits in KJ for its descriptor or its next timer.
  kj::Promise<void> Pump() {
    uv_run(&loop, UV_RUN_NOWAIT);
    const int timeout_ms = uv_backend_timeout(&loop);
    if (timeout_ms == 0) return kj::evalLater([this] { return Pump(); });
    kj::Promise<void> ready = observer->whenBecomesReadable();
    if (timeout_ms > 0) {
      ready =
          ready.exclusiveJoin(io.provider->getTimer().afterDelay(timeout_ms * kj::MILLISECONDS));
    }
    return ready.then([this] { return Pump(); });
  }

  void ArmNextTimer() {
    if (timers.empty()) {
      uv_timer_stop(&next_timer);
      return;
    }
    absl::Duration earliest = absl::InfiniteDuration();
    for (const auto& [id, timer] : timers) earliest = std::min(earliest, timer.deadline);
    const absl::Duration delay = earliest - base::SystemClock().SteadyNow();
    uv_update_time(&loop);
    uv_timer_start(
        &next_timer, [](uv_timer_t* handle) { static_cast<Inner*>(handle->data)->FireTimers(); },
        WholeMilliseconds(delay), 0);
    uv_async_send(&wake);  // the pump computes its timeout anew, wherever this was called from
  }

  void FireTimers() {
    const absl::Duration now = base::SystemClock().SteadyNow();
    // One at a time, the earliest first: a callback may cancel or add others.
    for (;;) {
      auto due = timers.end();
      for (auto it = timers.begin(); it != timers.end(); ++it) {
        if (it->second.deadline > now) continue;
        if (due == timers.end() || it->second.deadline < due->second.deadline) due = it;
      }
      if (due == timers.end()) break;
      absl::AnyInvocable<void()> callback = std::move(due->second.callback);
      timers.erase(due);
      callback();
    }
    ArmNextTimer();
  }

  kj::AsyncIoContext io;
  kj::PromiseFulfillerPair<void> stopped;
  uv_loop_t loop{};
  uv_async_t wake{};
  uv_timer_t next_timer{};
  kj::Own<kj::UnixEventPort::FdObserver> observer;
  base::Mailbox mailbox;
  std::map<uint64_t, Timer> timers;  // few: one per pending checkpoint and job
  uint64_t last_timer = 0;
  std::vector<std::unique_ptr<Signal>> signals;
};

ControlLoop::ControlLoop() : inner_(std::make_unique<Inner>()) {
}
ControlLoop::~ControlLoop() = default;

base::Mailbox& ControlLoop::mailbox() {
  return inner_->mailbox;
}

kj::AsyncIoContext& ControlLoop::io() {
  return inner_->io;
}

base::TimerId ControlLoop::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> callback) {
  const uint64_t id = ++inner_->last_timer;
  inner_->timers.emplace(
      id, Inner::Timer{base::SystemClock().SteadyNow() + delay, std::move(callback)});
  inner_->ArmNextTimer();
  return base::TimerId{id};
}

void ControlLoop::Cancel(base::TimerId id) {
  if (inner_->timers.erase(static_cast<uint64_t>(id)) > 0) inner_->ArmNextTimer();
}

absl::Status ControlLoop::WatchSignal(int signal, absl::AnyInvocable<void()> callback) {
  auto watch = std::make_unique<Inner::Signal>();
  watch->callback = std::move(callback);
  WEIR_CHECK(uv_signal_init(&inner_->loop, &watch->handle) == 0);
  watch->handle.data = watch.get();
  const int error = uv_signal_start(
      &watch->handle,
      [](uv_signal_t* handle, int) { static_cast<Inner::Signal*>(handle->data)->callback(); },
      signal);
  inner_->signals.push_back(std::move(watch));
  if (error != 0) {
    return absl::InternalError(
        absl::StrCat("cannot watch signal ", signal, ": ", uv_strerror(error)));
  }
  uv_async_send(&inner_->wake);
  return absl::OkStatus();
}

void ControlLoop::Run() {
  inner_->Pump().exclusiveJoin(kj::mv(inner_->stopped.promise)).wait(inner_->io.waitScope);
  inner_->stopped = kj::newPromiseAndFulfiller<void>();
}

void ControlLoop::Stop() {
  inner_->stopped.fulfiller->fulfill();
}

}  // namespace weir::rpc
