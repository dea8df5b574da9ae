#include "taskmanager/network/channel.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace weir::network {
namespace {

// Control elements weigh nothing: they are few, and must enter a full channel.
size_t BytesOf(const StreamElement& element) {
  if (const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&element)) {
    return (*batch)->ByteSize();
  }
  const EncodedBatch* encoded = std::get_if<EncodedBatch>(&element);
  return encoded == nullptr ? 0 : encoded->block.size();
}

}  // namespace

size_t ChannelWindowBytes(size_t channels) {
  return std::clamp(kEdgeWindowBytes / std::max<size_t>(channels, 1), kChannelWindowBytesMin,
                    kChannelWindowBytesMax);
}

InputGate::InputGate(size_t channel_count, base::Mailbox& consumer)
    : channel_count_(channel_count),
      window_bytes_(ChannelWindowBytes(channel_count)),
      consumer_(consumer) {
  WEIR_CHECK(channel_count <= kGateChannelsMax);
  base::MutexLock lock(mutex_);
  channels_.resize(channel_count);
}

void InputGate::Push(uint32_t channel, StreamElement element) {
  bool wake = false;
  {
    base::MutexLock lock(mutex_);
    wake = Append(channel, std::move(element));
  }
  if (wake) consumer_.Poke();
}

void InputGate::PushAll(uint32_t channel, std::vector<StreamElement> elements) {
  bool wake = false;
  {
    base::MutexLock lock(mutex_);
    for (StreamElement& element : elements) wake |= Append(channel, std::move(element));
  }
  if (wake) consumer_.Poke();
}

bool InputGate::Append(uint32_t channel, StreamElement element) {
  if (abandoned_) return false;
  const size_t bytes = BytesOf(element);
  Channel& target = channels_[channel];
  target.queue.push_back({std::move(element), bytes});
  target.bytes += bytes;
  if (target.is_blocked || target.queue.size() > 1) return false;
  const bool was_idle = ready_.empty();
  ready_.push_back(channel);
  return was_idle;
}

bool InputGate::HasRoom(uint32_t channel, base::Mailbox& producer) {
  base::MutexLock lock(mutex_);
  Channel& target = channels_[channel];
  if (abandoned_ || !IsFull(target)) return true;
  target.waiting_producer = &producer;
  return false;
}

bool InputGate::HasRoomOr(uint32_t channel, absl::AnyInvocable<void()> drained) {
  base::MutexLock lock(mutex_);
  Channel& target = channels_[channel];
  if (abandoned_ || !IsFull(target)) return true;
  target.drained = std::move(drained);
  return false;
}

bool InputGate::IsIdle(uint32_t channel) {
  base::MutexLock lock(mutex_);
  return channels_[channel].queue.empty();
}

std::optional<GateElement> InputGate::Pop() {
  base::Mailbox* drained_for = nullptr;
  absl::AnyInvocable<void()> drained;
  std::optional<GateElement> result;
  {
    base::MutexLock lock(mutex_);
    if (ready_.empty()) return std::nullopt;
    const uint32_t index = ready_.front();
    ready_.pop_front();
    Channel& channel = channels_[index];
    WEIR_DCHECK(!channel.is_blocked);
    Queued next = std::move(channel.queue.front());
    channel.queue.pop_front();
    channel.bytes -= next.bytes;
    if (!channel.queue.empty()) ready_.push_back(index);
    if (IsHalfDrained(channel)) {
      drained_for = std::exchange(channel.waiting_producer, nullptr);
      if (channel.drained) drained = std::exchange(channel.drained, nullptr);
    }
    result = GateElement{index, std::move(next.element)};
  }
  if (drained_for != nullptr) drained_for->Poke();
  if (drained) drained();
  return result;
}

bool InputGate::HasReady() {
  base::MutexLock lock(mutex_);
  return !ready_.empty();
}

void InputGate::Block(uint32_t channel) {
  base::MutexLock lock(mutex_);
  channels_[channel].is_blocked = true;
  ready_.erase(std::remove(ready_.begin(), ready_.end(), channel), ready_.end());
}

void InputGate::Unblock(uint32_t channel) {
  base::MutexLock lock(mutex_);
  Channel& target = channels_[channel];
  if (!std::exchange(target.is_blocked, false)) return;
  if (!target.queue.empty()) ready_.push_back(channel);
}

void InputGate::Abandon() {
  std::vector<base::Mailbox*> waiting;
  std::vector<Channel> dropped;
  {
    base::MutexLock lock(mutex_);
    abandoned_ = true;
    for (const Channel& channel : channels_) {
      if (channel.waiting_producer != nullptr) waiting.push_back(channel.waiting_producer);
    }
    ready_.clear();
    dropped.swap(channels_);
    channels_.resize(channel_count_);
  }
  for (base::Mailbox* producer : waiting) producer->Poke();
  for (Channel& channel : dropped) {
    if (channel.drained) channel.drained();
  }
}

}  // namespace weir::network
