// DataPlane: channels between subtasks that run in different taskmanagers.
// Each side names the channel; the producing side connects.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "common/base/ids.h"
#include "common/base/mailbox.h"
#include "common/types/schema.h"
#include "taskmanager/network/channel.h"

namespace weir::network {

// One logical channel of one execution. Another execution's channel is another channel.
struct ChannelName {
  JobId job;
  uint64_t epoch = 0;
  uint64_t generation = 0;
  uint32_t edge = 0;      // graph::EdgeIndex
  uint32_t producer = 0;  // subtasks
  uint32_t consumer = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler makes of it compares with 0
  auto operator<=>(const ChannelName&) const = default;
};

// Told once, from any thread, when a channel broke before its Close element: UNAVAILABLE and where
// the other side was. The task must fail: nothing says what was lost. Never told after the receiver
// or sender it was given for is gone.
using ChannelLost = absl::AnyInvocable<void(const absl::Status& cause)>;

// The consuming end's place. Destroying it closes the channel to the producer: what still comes is
// dropped.
class ChannelReceiver {
 public:
  virtual ~ChannelReceiver() = default;
};

// Thread: any.
class DataPlane {
 public:
  virtual ~DataPlane() = default;

  // What arrives for `name` goes into `gate` at `channel`, in order; batches arrive encoded
  // (stream_element.h) and are decoded by the consuming task. The producer may have connected
  // before this. `gate` outlives the receiver.
  virtual std::unique_ptr<ChannelReceiver> Expect(const ChannelName& name, InputGate& gate,
                                                  uint32_t channel, ChannelLost lost) = 0;
  // Connects to `address`, with retries while the consumer may not have come up yet.
  // `producer` is poked as ChannelSender says, and outlives the sender. Destroying the sender lets
  // what was pushed go out if a Close was the last of it; else it breaks the channel.
  virtual std::unique_ptr<ChannelSender> Open(const ChannelName& name, const std::string& address,
                                              size_t channels_of_edge, base::Mailbox& producer,
                                              ChannelLost lost) = 0;
  // "127.0.0.1:6121"
  virtual std::string address() const = 0;
};

}  // namespace weir::network
