// Mutex and CondVar: std::mutex with clang's thread-safety annotations (docs/adr/0004).
// absl::Mutex is not used: the packaged library is not instrumented and gives ThreadSanitizer
// false reports.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <absl/base/thread_annotations.h>
#include <absl/time/time.h>

namespace weir::base {

// A std::mutex that clang's thread analysis and ThreadSanitizer understand.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex for a scope.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Longest single wait of a CondVar; whoever waits longer wakes without cause in between.
inline constexpr absl::Duration kWaitMax = absl::Hours(1);

// Waits may wake without cause: re-check the condition in a loop.
class CondVar {
 public:
  void Wait(Mutex& mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Returns false if `timeout` passed without a wake-up.
  bool WaitFor(Mutex& mutex, absl::Duration timeout) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    // Added to now, a longer one would overflow and not wait at all.
    const absl::Duration wait = std::min(timeout, kWaitMax);
    const std::cv_status status = condition_.wait_for(lock, absl::ToChronoNanoseconds(wait));
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void WakeOne() { condition_.notify_one(); }
  void WakeAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace weir::base
