// Executor: runs work on some other thread. The I/O pool is one; simulation has another.
#pragma once

#include <absl/functional/any_invocable.h>

namespace weir::base {

// Thread: Run() from any thread.
class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` some time later. Work that was accepted runs, also during shutdown.
  virtual void Run(absl::AnyInvocable<void()> work) = 0;
};

}  // namespace weir::base
