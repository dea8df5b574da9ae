#include "common/base/thread_pool.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::base {

ThreadPool::ThreadPool(const std::string& name, size_t thread_count) {
  WEIR_CHECK(thread_count > 0);
  threads_.reserve(thread_count);
  for (size_t i = 0; i < thread_count; ++i) {
    threads_.push_back(std::make_unique<Thread>(absl::StrCat(name, "-", i), [this] { Loop(); }));
  }
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.WakeAll();
  threads_.clear();
}

void ThreadPool::Run(absl::AnyInvocable<void()> work) {
  {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(work));
  }
  wake_.WakeOne();
}

void ThreadPool::Loop() {
  for (;;) {
    absl::AnyInvocable<void()> work;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.Wait(mutex_);
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace weir::base
