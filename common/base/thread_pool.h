// ThreadPool: the Executor for blocking work (files, uploads).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/executor.h"
#include "common/base/mutex.h"
#include "common/base/thread.h"

namespace weir::base {

// Life: the destructor finishes the accepted work, then joins.
// The queue is bounded by its callers: each has a bounded number of outstanding pieces (a subtask
// one asynchronous part per pending checkpoint, a coordinator one per decision).
class ThreadPool final : public Executor {
 public:
  ThreadPool(const std::string& name, size_t thread_count);
  ~ThreadPool() override;

  void Run(absl::AnyInvocable<void()> work) override;

 private:
  void Loop();

  Mutex mutex_;
  CondVar wake_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Thread>> threads_;  // constant after construction
};

}  // namespace weir::base
