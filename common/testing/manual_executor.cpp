#include "common/testing/manual_executor.h"

#include <utility>

namespace weir::testing {

void ManualExecutor::Run(absl::AnyInvocable<void()> work) {
  const base::MutexLock lock(mutex_);
  queue_.push_back(std::move(work));
}

bool ManualExecutor::RunOne() {
  absl::AnyInvocable<void()> work;
  {
    const base::MutexLock lock(mutex_);
    if (queue_.empty()) return false;
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  work();
  return true;
}

size_t ManualExecutor::RunAll() {
  size_t count = 0;
  while (RunOne()) ++count;
  return count;
}

size_t ManualExecutor::waiting_count() const {
  const base::MutexLock lock(mutex_);
  return queue_.size();
}

}  // namespace weir::testing
