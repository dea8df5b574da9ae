// ReceiveEnd: the consuming end of one channel, between the network loop that fills it and the task
// that empties its gate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>

#include "common/base/mutex.h"
#include "taskmanager/network/channel.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/network/loop_port.h"
#include "taskmanager/network/lost_once.h"

namespace weir::network {

// What waits on the network loop for room in the gate.
class RoomWaiter {
 public:
  virtual ~RoomWaiter() = default;
  virtual void OnRoom() = 0;
};

// Life:   shared by the receiver, the registry and the connection that fills it.
// Thread: Attach(), Push(), HasRoom(), Close(), SetWaiter() and OnLoop() from the network loop that
//         claimed the channel; Detach() and Lose() from any.
class ReceiveEnd final : public LoopClient, public std::enable_shared_from_this<ReceiveEnd> {
 public:
  ReceiveEnd(InputGate& gate, uint32_t channel, ChannelLost lost)
      : gate_(&gate), channel_(channel), lost_(std::move(lost)) {}

  // Which loop to come back to when there is room again.
  void Attach(std::shared_ptr<LoopPort> port);
  // Told on the loop when there may be room after HasRoom() said no; null: nobody.
  void SetWaiter(RoomWaiter* waiter) { waiter_ = waiter; }
  void Push(std::vector<StreamElement> elements);
  bool HasRoom();
  // The producer said that nothing follows.
  void Close();
  void OnLoop() override;
  void OnLoopEnded() override {}

  // It broke before Close(). Repeated calls do nothing.
  void Lose(const absl::Status& cause) { lost_.Tell(cause); }
  // The receiver goes away: what still comes is dropped.
  void Detach();

 private:
  RoomWaiter* waiter_ = nullptr;  // the loop's

  base::Mutex mutex_;
  InputGate* gate_ ABSL_GUARDED_BY(mutex_);  // null: detached
  const uint32_t channel_;
  std::shared_ptr<LoopPort> port_ ABSL_GUARDED_BY(mutex_);  // null: not claimed yet
  LostOnce lost_;
};

}  // namespace weir::network
