// The two ends of channels as tasks have them: what tests of the data plane push and pop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "common/base/clock.h"
#include "common/base/mailbox.h"
#include "common/base/mutex.h"
#include "common/rpc/channel_lost.h"
#include "common/types/block_codec.h"
#include "taskmanager/network/network_data_plane.h"

namespace weir::network {

// Longer than anything here takes, however slow the machine.
inline constexpr absl::Duration kPatience = absl::Seconds(60);

inline types::SchemaPtr NumberSchema() {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"n", types::kInt64Type, /*nullable=*/false}});
  return schema;
}

inline types::BatchPtr Numbers(int64_t first, size_t count) {
  types::BatchBuilder builder(NumberSchema());
  for (size_t i = 0; i < count; ++i) {
    builder.column(0).Append(first + static_cast<int64_t>(i));
    builder.EndRow();
  }
  return builder.Finish();
}

inline std::unique_ptr<NetworkDataPlane> StartPlane(size_t loops = 1) {
  absl::StatusOr<std::unique_ptr<NetworkDataPlane>> plane =
      NetworkDataPlane::Start({.loops = loops});
  return plane.ok() ? *std::move(plane) : nullptr;
}

inline ChannelName Named(uint32_t producer, uint64_t generation = 1) {
  return {.job = {7, 7}, .epoch = 1, .generation = generation, .producer = producer};
}

// Counts what it is told; to be handed out as a ChannelLost.
class LostCount {
 public:
  ChannelLost Callback() {
    return [this](const absl::Status& cause) {
      absl::Status own(cause.code(), cause.message());  // shares nothing with that thread
      if (rpc::IsChannelLost(cause)) own = rpc::MarkChannelLost(std::move(own));
      base::MutexLock lock(mutex_);
      causes_.push_back(std::move(own));
      mailbox_.Poke();
    };
  }
  std::vector<absl::Status> causes() {
    base::MutexLock lock(mutex_);
    return causes_;
  }
  // Waits for the first cause. False: none came.
  bool Wait() {
    const base::Clock& clock = base::SystemClock();
    const absl::Duration deadline = clock.SteadyNow() + kPatience;
    while (causes().empty()) {
      if (clock.SteadyNow() > deadline) return false;
      mailbox_.WaitFor(absl::Milliseconds(100));
      mailbox_.Drain();
    }
    return true;
  }

 private:
  base::Mailbox mailbox_;
  base::Mutex mutex_;
  std::vector<absl::Status> causes_ ABSL_GUARDED_BY(mutex_);
};

// A task that produces.
struct Producer {
  base::Mailbox mailbox;
  LostCount lost;
  std::unique_ptr<ChannelSender> sender;

  void Open(NetworkDataPlane& plane, const ChannelName& name, const std::string& address,
            size_t channels = 1) {
    sender = plane.Open(name, address, channels, mailbox, lost.Callback());
  }
  // Waits for room, then pushes. False: there never was room.
  bool Push(StreamElement element) {
    const base::Clock& clock = base::SystemClock();
    const absl::Duration deadline = clock.SteadyNow() + kPatience;
    while (!sender->HasRoom()) {
      if (clock.SteadyNow() > deadline) return false;
      mailbox.WaitFor(absl::Milliseconds(100));
      mailbox.Drain();
    }
    sender->Push(std::move(element));
    return true;
  }
  // Pushes without asking for room, more than both ends have together: what a consumer that takes
  // nothing does not hold then waits on this side.
  void Overfill() {
    constexpr int64_t kBatches = 3 * kChannelWindowBytesMax / (1024 * sizeof(int64_t));
    for (int64_t i = 0; i < kBatches; ++i) sender->Push(Numbers(i, 1024));
  }
};

// A task that consumes.
struct Consumer {
  explicit Consumer(size_t channels = 1) : gate(channels, mailbox), lost(channels) {}

  base::Mailbox mailbox;
  InputGate gate;
  std::vector<LostCount> lost;
  std::vector<std::unique_ptr<ChannelReceiver>> receivers;

  void Expect(NetworkDataPlane& plane, const ChannelName& name, uint32_t channel = 0) {
    receivers.push_back(plane.Expect(name, gate, channel, lost[channel].Callback()));
  }
  // Waits until a channel is full. False: it never was.
  bool WaitUntilFull(uint32_t channel) {
    const base::Clock& clock = base::SystemClock();
    const absl::Duration deadline = clock.SteadyNow() + kPatience;
    while (gate.HasRoomOr(channel, [] {})) {
      if (clock.SteadyNow() > deadline) return false;
      mailbox.WaitFor(absl::Milliseconds(10));
      mailbox.Drain();
    }
    return true;
  }
  // The next element, waiting for it. nullopt: none came.
  std::optional<GateElement> Pop() {
    const base::Clock& clock = base::SystemClock();
    const absl::Duration deadline = clock.SteadyNow() + kPatience;
    for (;;) {
      if (std::optional<GateElement> element = gate.Pop(); element.has_value()) return element;
      if (clock.SteadyNow() > deadline) return std::nullopt;
      mailbox.WaitFor(absl::Milliseconds(100));
      mailbox.Drain();
    }
  }
};

// The first number of a batch that came over the network; -1: not such a batch.
inline int64_t FirstNumber(const StreamElement& element) {
  const EncodedBatch* encoded = std::get_if<EncodedBatch>(&element);
  if (encoded == nullptr) return -1;
  const absl::StatusOr<types::BatchPtr> batch = types::DecodeBlock(encoded->block, NumberSchema());
  return batch.ok() ? (*batch)->column(0).Values<int64_t>()[0] : -1;
}

}  // namespace weir::network
