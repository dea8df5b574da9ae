// LoopPort: how other threads reach one network loop.
#pragma once

#include <memory>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>

#include "common/base/mailbox.h"
#include "common/base/mutex.h"

namespace weir::network {

// One end of a channel, as its network loop sees it.
class LoopClient {
 public:
  virtual ~LoopClient() = default;
  // Something has changed; looks at everything. Thread: the loop's.
  virtual void OnLoop() = 0;
  // The loop has ended, so that OnLoop() is never called. Thread: any.
  virtual void OnLoopEnded() = 0;

 private:
  friend class LoopPort;
  bool is_scheduled_ = false;  // guarded by the mutex of the one port it is scheduled on
};

// Life:      outlives its loop; whoever has mail for the loop shares it.
// Thread:    Attach() and Detach() from the loop's thread; the rest from any.
// Invariant: each client waits at most once, and at most one mail for all of them is under way.
class LoopPort : public std::enable_shared_from_this<LoopPort> {
 public:
  void Attach(base::Mailbox& mailbox);
  // The loop has ended: whatever waits or comes is told so, or dropped.
  void Detach();

  // Runs `mail` on the loop; destroyed unrun where there is none.
  void Post(absl::AnyInvocable<void()> mail);
  // Calls client->OnLoop() on the loop; calls before that happens are one.
  void Schedule(std::shared_ptr<LoopClient> client);

 private:
  // False: the loop has ended, and `client` is left where it was.
  bool TakeUnlessEnded(std::shared_ptr<LoopClient>& client);
  void RunScheduled();

  base::Mutex mutex_;
  base::Mailbox* mailbox_ ABSL_GUARDED_BY(mutex_) = nullptr;  // null: not started, or ended
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  // Shared: a client's owner on another thread may let go of it at any moment.
  std::vector<std::shared_ptr<LoopClient>> scheduled_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::network
