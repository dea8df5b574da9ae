// SerialExecutor: runs work of one kind on another executor, one piece after the other.
#pragma once

#include <deque>
#include <memory>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>

#include "common/base/executor.h"
#include "common/base/mutex.h"

namespace weir::base {

// Life:      `executor` outlives it. Work that was accepted runs although this is gone.
// Thread:    Run() from any thread.
// Invariant: at most one piece of work runs at a time, in the order of Run().
class SerialExecutor final : public Executor {
 public:
  explicit SerialExecutor(Executor& executor)
      : executor_(executor), queue_(std::make_shared<Queue>()) {}

  void Run(absl::AnyInvocable<void()> work) override;

 private:
  struct Queue {
    Mutex mutex;
    std::deque<absl::AnyInvocable<void()>> waiting ABSL_GUARDED_BY(mutex);
    bool is_running ABSL_GUARDED_BY(mutex) = false;
  };
  static void RunAll(Queue& queue);

  Executor& executor_;
  const std::shared_ptr<Queue> queue_;  // shared with work under way
};

}  // namespace weir::base
