// Mailbox: the only way from one thread into another.
// Two lanes (design: threads talk through mails and readiness bits): control mails, which may not
// be refused once their sender is bound by a protocol, and request mails, which may.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/mutex.h"

namespace weir::base {

// Most request mails waiting in one mailbox.
inline constexpr size_t kMailboxRequestsMax = 1024;

// A queue of closures run by its one consuming thread, in order of posting.
//
// Thread:    Post*() from any thread; Drain() and WaitFor() from the consuming thread only.
// Invariant: at most kMailboxRequestsMax request mails wait. Control mails are bounded by their
//            senders: each protocol step has at most one mail under way per sender, kind and id.
class Mailbox {
 public:
  using Mail = absl::AnyInvocable<void()>;

  // `wake` is called after a mail was posted into an empty mailbox, on the posting thread and
  // outside the lock; it may be null when the consumer uses WaitFor().
  explicit Mailbox(absl::AnyInvocable<void() const> wake = nullptr);

  // Never refused. Mails posted after Close() are destroyed unrun.
  void PostControl(Mail mail);
  // RESOURCE_EXHAUSTED: kMailboxRequestsMax request mails wait already; slow down and try again.
  absl::Status PostRequest(Mail mail);
  // Wakes the consumer without a mail: data became ready. Coalesced.
  void Poke();

  // Runs the mails waiting now. Returns how many ran.
  size_t Drain();
  // Waits until a mail or poke is there, or `timeout` passed. True if woken by one.
  bool WaitFor(absl::Duration timeout);
  // Discards what waits and what comes later.
  void Close();

 private:
  struct Entry {
    Mail mail;
    bool is_request;
  };

  const absl::AnyInvocable<void() const> wake_;
  Mutex mutex_;
  CondVar arrived_;
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mutex_);
  size_t request_count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool poked_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::base
