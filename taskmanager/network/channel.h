// ChannelSender: the producing end of one channel.
// InputGate: the consuming ends of all channels of one subtask.
// Same-process edges pass batches by pointer through the gate; the network carries the others into
// the same gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>

#include "common/base/mailbox.h"
#include "common/base/mutex.h"
#include "taskmanager/network/stream_element.h"

namespace weir::network {

// Bytes that may wait on all channels of one edge, and what that leaves for a single one.
inline constexpr size_t kEdgeWindowBytes = 16u << 20;
inline constexpr size_t kChannelWindowBytesMin = 64u << 10;
inline constexpr size_t kChannelWindowBytesMax = 1u << 20;
static_assert(kChannelWindowBytesMin <= kChannelWindowBytesMax);
static_assert(kChannelWindowBytesMax <= kEdgeWindowBytes);
// Most channels of one gate: the largest parallelism times a few inputs.
inline constexpr size_t kGateChannelsMax = 1u << 17;
// Elements at which a channel is full though they weigh little: control elements, tiny batches.
inline constexpr size_t kChannelElementsMax = 4096;

// clamp(kEdgeWindowBytes / channels, min, max).
size_t ChannelWindowBytes(size_t channels);

// Thread: the producing task's.
class ChannelSender {
 public:
  virtual ~ChannelSender() = default;
  // Never refused: producers stop between batches when HasRoom() says so, and what a checkpoint
  // needs (barriers, open batches) enters however full the channel is.
  virtual void Push(StreamElement element) = 0;
  // False: wait. The producer's mailbox is poked when the channel has drained to half its window.
  virtual bool HasRoom() = 0;
  // Nothing is on its way: a partly filled batch would be welcome.
  virtual bool IsIdle() = 0;
};

struct GateElement {
  uint32_t channel = 0;
  StreamElement element;
};

// Life:      outlives its senders.
// Thread:    Push(), HasRoom() and IsIdle() from producers; the rest from the consuming task.
// Invariant: ready_ lists exactly the channels that are not blocked and have elements, each once.
class InputGate {
 public:
  // `consumer` is poked when an element arrives at a gate with nothing ready.
  InputGate(size_t channel_count, base::Mailbox& consumer);

  size_t channel_count() const { return channel_count_; }

  void Push(uint32_t channel, StreamElement element);
  // In order, with one wake-up for all.
  void PushAll(uint32_t channel, std::vector<StreamElement> elements);
  // As ChannelSender::HasRoom(); `producer` is poked later if the answer is false.
  bool HasRoom(uint32_t channel, base::Mailbox& producer);
  // The same for a producer without a mailbox. False: `drained` is called once, on the consuming
  // thread and outside any lock, when the channel has drained to half.
  bool HasRoomOr(uint32_t channel, absl::AnyInvocable<void()> drained);
  bool IsIdle(uint32_t channel);

  // The next element of a channel that is not blocked, channels in turn; nullopt: nothing is ready.
  std::optional<GateElement> Pop();
  bool HasReady();
  // A blocked channel keeps its elements.
  void Block(uint32_t channel);
  void Unblock(uint32_t channel);
  // Drops what waits and what comes later: the task has ended. Waiting producers are poked.
  void Abandon();

 private:
  struct Queued {
    StreamElement element;
    size_t bytes;
  };
  struct Channel {
    std::deque<Queued> queue;
    size_t bytes = 0;
    bool is_blocked = false;
    base::Mailbox* waiting_producer = nullptr;
    absl::AnyInvocable<void()> drained;  // null: nobody waits
  };

  // True: the consumer has to be woken.
  bool Append(uint32_t channel, StreamElement element) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsFull(const Channel& channel) const {
    return channel.bytes >= window_bytes_ || channel.queue.size() >= kChannelElementsMax;
  }
  bool IsHalfDrained(const Channel& channel) const {
    return channel.bytes <= window_bytes_ / 2 && channel.queue.size() <= kChannelElementsMax / 2;
  }

  const size_t channel_count_;
  const size_t window_bytes_;
  base::Mailbox& consumer_;
  base::Mutex mutex_;
  std::vector<Channel> channels_ ABSL_GUARDED_BY(mutex_);
  std::deque<uint32_t> ready_ ABSL_GUARDED_BY(mutex_);
  bool abandoned_ ABSL_GUARDED_BY(mutex_) = false;
};

// The sender of a channel whose consumer runs in the same process.
class LocalSender final : public ChannelSender {
 public:
  // `gate` and `producer` outlive this.
  LocalSender(InputGate& gate, uint32_t channel, base::Mailbox& producer)
      : gate_(gate), channel_(channel), producer_(producer) {}

  void Push(StreamElement element) override { gate_.Push(channel_, std::move(element)); }
  bool HasRoom() override { return gate_.HasRoom(channel_, producer_); }
  bool IsIdle() override { return gate_.IsIdle(channel_); }

 private:
  InputGate& gate_;
  const uint32_t channel_;
  base::Mailbox& producer_;
};

}  // namespace weir::network
