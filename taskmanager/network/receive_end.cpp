#include "taskmanager/network/receive_end.h"

#include <utility>

namespace weir::network {

void ReceiveEnd::Attach(std::shared_ptr<LoopPort> port) {
  base::MutexLock lock(mutex_);
  port_ = std::move(port);
}

void ReceiveEnd::Push(std::vector<StreamElement> elements) {
  base::MutexLock lock(mutex_);
  if (gate_ != nullptr) gate_->PushAll(channel_, std::move(elements));
}

bool ReceiveEnd::HasRoom() {
  base::MutexLock lock(mutex_);
  if (gate_ == nullptr) return true;
  return gate_->HasRoomOr(channel_,
                          [port = port_, self = shared_from_this()] { port->Schedule(self); });
}

void ReceiveEnd::Close() {
  lost_.Disarm();
  std::vector<StreamElement> close;
  close.emplace_back(network::Close{});
  Push(std::move(close));
}

void ReceiveEnd::OnLoop() {
  if (waiter_ != nullptr) waiter_->OnRoom();
}

void ReceiveEnd::Detach() {
  lost_.Disarm();
  std::shared_ptr<LoopPort> port;
  {
    base::MutexLock lock(mutex_);
    gate_ = nullptr;
    port = port_;
  }
  if (port != nullptr) port->Schedule(shared_from_this());
}

}  // namespace weir::network
