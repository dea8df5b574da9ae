#include "taskmanager/network/loop_port.h"

#include <utility>

namespace weir::network {

void LoopPort::Attach(base::Mailbox& mailbox) {
  base::MutexLock lock(mutex_);
  mailbox_ = &mailbox;
  if (!scheduled_.empty()) mailbox.PostControl([this] { RunScheduled(); });
}

void LoopPort::Detach() {
  std::vector<std::shared_ptr<LoopClient>> left;
  {
    base::MutexLock lock(mutex_);
    mailbox_ = nullptr;
    has_ended_ = true;
    left.swap(scheduled_);
  }
  for (const std::shared_ptr<LoopClient>& client : left) client->OnLoopEnded();
}

void LoopPort::Post(absl::AnyInvocable<void()> mail) {
  base::MutexLock lock(mutex_);
  if (mailbox_ != nullptr) mailbox_->PostControl(std::move(mail));
}

void LoopPort::Schedule(std::shared_ptr<LoopClient> client) {
  if (!TakeUnlessEnded(client)) client->OnLoopEnded();
}

bool LoopPort::TakeUnlessEnded(std::shared_ptr<LoopClient>& client) {
  base::MutexLock lock(mutex_);
  if (has_ended_) return false;
  if (std::exchange(client->is_scheduled_, true)) return true;
  scheduled_.push_back(std::move(client));
  if (scheduled_.size() == 1 && mailbox_ != nullptr) {
    mailbox_->PostControl([this] { RunScheduled(); });
  }
  return true;
}

void LoopPort::RunScheduled() {
  std::vector<std::shared_ptr<LoopClient>> ready;
  {
    base::MutexLock lock(mutex_);
    ready.swap(scheduled_);
    for (const std::shared_ptr<LoopClient>& client : ready) client->is_scheduled_ = false;
  }
  for (const std::shared_ptr<LoopClient>& client : ready) client->OnLoop();
}

}  // namespace weir::network
