// DataClient: the producing side's connection to one taskmanager: opens a capability per channel
// and moves the channels' frames into them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>
#include <kj/time.h>

#include "common/base/string_view.h"
#include "schemas/rpc/data.capnp.h"
#include "taskmanager/network/ack_flow.h"
#include "taskmanager/network/send_channel.h"

namespace weir::network {

// How long a producer tries to reach a taskmanager that does not listen yet.
inline constexpr kj::Duration kConnectTimeMax = 30 * kj::SECONDS;
inline constexpr kj::Duration kConnectPauseMin = 20 * kj::MILLISECONDS;
inline constexpr kj::Duration kConnectPauseMax = 1 * kj::SECONDS;

// Life:      made for the first channel to its address; `ended` is called once, when the last
// channel
//            is gone or the connection is. Nothing is added after that.
// Thread:    the network loop's.
// Invariant: every channel in wires_ is neither failed nor delivered.
class DataClient final : private kj::TaskSet::ErrorHandler {
 public:
  DataClient(kj::AsyncIoContext& io, std::string address, absl::AnyInvocable<void()> ended);
  ~DataClient();
  KJ_DISALLOW_COPY(DataClient);

  // REQUIRES: the channel has a wire number that no other has.
  void Add(std::shared_ptr<SendChannel> channel);
  // There is something to send, or the sender is gone.
  void Update(const SendChannel& channel);
  // The loop ends.
  void FailAll(const absl::Status& cause);

 private:
  struct Connection;
  class Wire;
  using Frames = std::vector<std::string>;  // of one push

  kj::Promise<void> Connect(kj::TimePoint deadline, kj::Duration pause);
  void OnConnected(kj::Own<kj::AsyncIoStream> stream);
  void OpenChannel(uint64_t wire);
  void OnOpened(uint64_t wire, wire::OpenOutcome::Reader outcome);
  void Flush(Wire& wire);
  void SendFrames(Wire& wire);
  void SendClose(Wire& wire);
  // Later, so that it may be asked for while the wire is in use.
  void FailLater(uint64_t wire, kj::Exception&& exception);
  void Fail(uint64_t wire, const absl::Status& cause);
  void Remove(uint64_t wire);
  void Retire(std::deque<Frames> pushes);
  void DropRetired();
  absl::Status Unavailable(StringView what) const;
  void taskFailed(kj::Exception&& exception) override;

  kj::AsyncIoContext& io_;
  const std::string address_;
  absl::AnyInvocable<void()> ended_;  // null: was called
  // Frames nobody waits for any more, which the connection may not have written yet.
  std::vector<Frames> retired_;
  kj::Own<Connection> connection_;  // null: not there yet
  // By wire number. Shared with the senders.
  std::map<uint64_t, std::unique_ptr<Wire>> wires_;
  kj::TaskSet tasks_;
};

}  // namespace weir::network
