// ManualExecutor: an executor whose work waits until told.
#pragma once

#include <cstddef>
#include <deque>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>

#include "common/base/executor.h"
#include "common/base/mutex.h"

namespace weir::testing {

// Thread: Run() from any thread; the rest from one.
class ManualExecutor final : public base::Executor {
 public:
  void Run(absl::AnyInvocable<void()> work) override;

  // Runs the oldest piece on this thread. False: none waits.
  bool RunOne();
  // Runs until none waits, also what is added meanwhile. Returns how many ran.
  size_t RunAll();
  size_t waiting_count() const;

 private:
  mutable base::Mutex mutex_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::testing
