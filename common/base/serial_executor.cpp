#include "common/base/serial_executor.h"

#include <utility>

namespace weir::base {

void SerialExecutor::Run(absl::AnyInvocable<void()> work) {
  {
    const MutexLock lock(queue_->mutex);
    queue_->waiting.push_back(std::move(work));
    if (std::exchange(queue_->is_running, true)) return;
  }
  executor_.Run([queue = queue_] { RunAll(*queue); });
}

void SerialExecutor::RunAll(Queue& queue) {
  for (;;) {
    absl::AnyInvocable<void()> work;
    {
      const MutexLock lock(queue.mutex);
      if (queue.waiting.empty()) {
        queue.is_running = false;
        return;
      }
      work = std::move(queue.waiting.front());
      queue.waiting.pop_front();
    }
    work();
  }
}

}  // namespace weir::base
