// AckFlow: what becomes of the frames that were sent into a channel's capability.
// Cap'n Proto asks its network for a flow controller per streaming capability. This one lets every
// frame go, because SendQueue keeps the window of each channel itself, and tells who sent it what
// the other side answered.
#pragma once

#include <utility>

#include <capnp/rpc-twoparty.h>
#include <kj/async.h>
#include <kj/refcount.h>

namespace weir::network {

// Called in the order of sending; must not destroy the capability.
class AckListener {
 public:
  virtual ~AckListener() noexcept(false) = default;
  virtual void OnAcknowledged() = 0;
  virtual void OnRefused(kj::Exception&& exception) = 0;
};

// Between a flow and its listener, which may go first.
struct AckLink final : public kj::Refcounted {
  AckListener* listener = nullptr;  // null: nobody cares any more
};

// Life: as long as the capability; from then on its frames are given up.
class AckFlow final : public capnp::RpcFlowController, private kj::TaskSet::ErrorHandler {
 public:
  explicit AckFlow(kj::Own<AckLink> link) : link_(kj::mv(link)), tasks_(*this) {}

  kj::Promise<void> send(kj::Own<capnp::OutgoingRpcMessage> message,
                         kj::Promise<void> ack) override {
    message->send();
    tasks_.add(ack.then([this] {
      if (link_->listener != nullptr) link_->listener->OnAcknowledged();
    }));
    return kj::READY_NOW;
  }
  // Asked when the capability is let go: frames nobody cares for are given up at once.
  kj::Promise<void> waitAllAcked() override {
    if (link_->listener == nullptr) return kj::READY_NOW;
    return tasks_.onEmpty();
  }

 private:
  void taskFailed(kj::Exception&& exception) override {
    if (link_->listener != nullptr) link_->listener->OnRefused(kj::mv(exception));
  }

  const kj::Own<AckLink> link_;
  kj::TaskSet tasks_;
};

// A two-party network whose streams are AckFlows.
class AckNetwork final : public capnp::TwoPartyVatNetwork {
 public:
  AckNetwork(kj::AsyncIoStream& socket, capnp::ReaderOptions options)
      : TwoPartyVatNetwork(socket, capnp::rpc::twoparty::Side::CLIENT, options) {}

  // For the first frame of a capability, which makes its flow while it is being sent.
  void set_next_link(kj::Own<AckLink> link) { next_link_ = kj::mv(link); }

 private:
  kj::Own<capnp::RpcFlowController> newStream() override {
    return kj::heap<AckFlow>(kj::addRef(*next_link_));
  }

  kj::Own<AckLink> next_link_ = kj::refcounted<AckLink>();
};

}  // namespace weir::network
