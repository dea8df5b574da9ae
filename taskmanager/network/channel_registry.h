// ChannelRegistry: which channels this process expects, and which producers came before they were
// expected. Deployments reach taskmanagers in any order, so either side may be first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/mutex.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/network/receive_end.h"

namespace weir::network {

// Most producers that wait for their consumer: all that a large job has.
inline constexpr size_t kHeldOpensMax = 64u << 10;
// Jobs whose newest execution is remembered, to refuse older ones at once.
inline constexpr size_t kRememberedJobsMax = 1024;

// Thread:    any.
// Invariant: every open is answered once, unless it is withdrawn before.
class ChannelRegistry {
 public:
  using Answer = absl::StatusOr<std::shared_ptr<ReceiveEnd>>;
  // Runs under no lock, on the thread that caused it, once.
  using Answered = absl::AnyInvocable<void(Answer)>;

  // ALREADY_EXISTS: the channel is expected already.
  absl::Status Expect(const ChannelName& name, std::shared_ptr<ReceiveEnd> end);
  // The receiver of `end` is gone.
  void Forget(const ChannelName& name, const ReceiveEnd& end);

  // A producer asks for its channel; returns a number for Withdraw(). Its answer:
  // ABORTED: a newer execution of the job is here.
  // ALREADY_EXISTS: it has a producer, or one that waits.
  // RESOURCE_EXHAUSTED: kHeldOpensMax wait.
  // FAILED_PRECONDITION: Close() was called.
  uint64_t Open(const ChannelName& name, Answered answered);
  // Answers an open that still waits: nobody expected the channel in time, or the producer left.
  void Withdraw(const ChannelName& name, uint64_t open, const absl::Status& cause);

  // Breaks every channel and answers every open; nothing is expected from here on.
  void Close(const absl::Status& cause);

 private:
  using Execution = std::pair<uint64_t, uint64_t>;  // epoch, generation
  struct Expected {
    std::shared_ptr<ReceiveEnd> end;  // shared with the receiver and a network loop
    bool has_producer = false;
  };

  struct Held {
    uint64_t open = 0;
    Answered answered;
  };

  void Remember(const ChannelName& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsOver(const ChannelName& name) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  base::Mutex mutex_;
  std::map<ChannelName, Expected> expected_ ABSL_GUARDED_BY(mutex_);
  std::map<ChannelName, Held> held_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_open_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<JobId, Execution> newest_ ABSL_GUARDED_BY(mutex_);
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::network
