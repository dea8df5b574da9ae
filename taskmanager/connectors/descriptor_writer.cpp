#include "taskmanager/connectors/descriptor_writer.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <poll.h>
#include <unistd.h>

#include <absl/strings/str_cat.h>

namespace weir::connectors {
namespace {

// Keeps SIGPIPE from the process while it lives: the signal is blocked in this thread, and one that
// a write caused is taken back. The process may want the signal elsewhere, so it is not ignored.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

absl::Status WriteError(int error) {
  if (error == EPIPE) {
    return absl::FailedPreconditionError(
        "standard output is closed: the program that read it has ended");
  }
  if (error == EBADF) {
    return absl::FailedPreconditionError(
        "standard output is closed; start Weir with it open, or redirect it to a file or a "
        "program");
  }
  const std::string text = absl::StrCat("writing to standard output: error ", error);
  if (error == ENOSPC || error == EDQUOT) {
    return absl::ResourceExhaustedError(absl::StrCat(text, " (no space is left)"));
  }
  return absl::UnavailableError(text);
}

// A descriptor that was made non-blocking by whoever opened it.
void WaitForRoom(int descriptor) {
  pollfd waited{.fd = descriptor, .events = POLLOUT, .revents = 0};
  poll(&waited, 1, /*timeout=*/-1);
}

}  // namespace

absl::Status WriteAll(int descriptor, StringView bytes) {
  const PipeSignalGuard guard;
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      WaitForRoom(descriptor);
    } else if (errno != EINTR) {
      return WriteError(errno);
    }
  }
  return absl::OkStatus();
}

}  // namespace weir::connectors
