// SendChannel: the producing end of one channel, between the task that fills it and the network
// loop that empties it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "common/base/mailbox.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/network/loop_port.h"
#include "taskmanager/network/lost_once.h"
#include "taskmanager/network/send_queue.h"

namespace weir::network {

class SendChannel;

// The network loop's part that has the connections.
class SendHost {
 public:
  virtual ~SendHost() = default;
  // Something about the channel has changed. Thread: the loop's.
  virtual void Serve(std::shared_ptr<SendChannel> channel) = 0;
};

// Where a channel leads.
struct SendTarget {
  ChannelName name;
  std::string address;
};

// Life:   shared by the sender and, as long as it has anything to deliver, its network loop.
// Thread: Push(), HasRoom() and IsIdle() from the producing task; Detach() from any thread, once;
//         the rest from the network loop.
class SendChannel final : public LoopClient, public std::enable_shared_from_this<SendChannel> {
 public:
  // `host` lives as long as the loop behind `port`.
  SendChannel(SendTarget target, size_t window_bytes, base::Mailbox& producer, ChannelLost lost,
              std::shared_ptr<LoopPort> port, SendHost& host)
      : target_(std::move(target)),
        queue_(window_bytes, producer),
        lost_(std::move(lost)),
        port_(std::move(port)),
        host_(host) {}

  const SendTarget& target() const { return target_; }
  SendQueue& queue() { return queue_; }

  void Push(const StreamElement& element) {
    if (queue_.Push(element)) port_->Schedule(shared_from_this());
  }
  // The sender goes away. What was pushed is still delivered if a Close was the last of it.
  void Detach() {
    lost_.Disarm();
    if (!queue_.Detach()) is_broken_.store(true, std::memory_order_release);
    port_->Schedule(shared_from_this());
  }
  // The sender went away before a Close.
  bool IsBroken() const { return is_broken_.load(std::memory_order_acquire); }

  void OnLoop() override { host_.Serve(shared_from_this()); }
  void OnLoopEnded() override { Fail(absl::UnavailableError("the data plane has stopped")); }
  // The channel is over without a Close.
  void Fail(const absl::Status& cause) {
    lost_.Tell(cause);
    queue_.Fail();  // frees the producer, which knows by now
  }

  // The loop's number for what it made for the channel; 0: nothing yet.
  uint64_t wire() const { return wire_; }
  void set_wire(uint64_t wire) { wire_ = wire; }

 private:
  const SendTarget target_;
  SendQueue queue_;
  LostOnce lost_;
  const std::shared_ptr<LoopPort> port_;
  SendHost& host_;
  uint64_t wire_ = 0;
  std::atomic<bool> is_broken_ = false;  // release/acquire: set once
};

}  // namespace weir::network
