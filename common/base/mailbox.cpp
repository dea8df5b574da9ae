#include "common/base/mailbox.h"

#include <utility>

namespace weir::base {

Mailbox::Mailbox(absl::AnyInvocable<void() const> wake) : wake_(std::move(wake)) {
}

void Mailbox::PostControl(Mail mail) {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    queue_.push_back({std::move(mail), /*is_request=*/false});
  }
  arrived_.WakeOne();
  if (wake_) wake_();
}

absl::Status Mailbox::PostRequest(Mail mail) {
  {
    MutexLock lock(mutex_);
    if (closed_) return absl::FailedPreconditionError("the mailbox is closed");
    if (request_count_ >= kMailboxRequestsMax) return absl::ResourceExhaustedError("mailbox full");
    ++request_count_;
    queue_.push_back({std::move(mail), /*is_request=*/true});
  }
  arrived_.WakeOne();
  if (wake_) wake_();
  return absl::OkStatus();
}

void Mailbox::Poke() {
  {
    MutexLock lock(mutex_);
    if (closed_ || poked_) return;
    poked_ = true;
  }
  arrived_.WakeOne();
  if (wake_) wake_();
}

size_t Mailbox::Drain() {
  std::deque<Entry> mails;
  {
    MutexLock lock(mutex_);
    mails.swap(queue_);
    request_count_ = 0;
    poked_ = false;
  }
  for (Entry& entry : mails) entry.mail();
  return mails.size();
}

bool Mailbox::WaitFor(absl::Duration timeout) {
  MutexLock lock(mutex_);
  if (queue_.empty() && !poked_ && !closed_) arrived_.WaitFor(mutex_, timeout);
  return !queue_.empty() || poked_;
}

void Mailbox::Close() {
  std::deque<Entry> discarded;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    discarded.swap(queue_);
    request_count_ = 0;
  }
  arrived_.WakeAll();
}

}  // namespace weir::base
