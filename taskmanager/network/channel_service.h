// ChannelService: wire adapter of one channel on its consuming side.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <capnp/rpc-twoparty.h>
#include <kj/refcount.h>

#include "schemas/rpc/data.capnp.h"
#include "taskmanager/network/block_memory.h"
#include "taskmanager/network/frame_codec.h"
#include "taskmanager/network/receive_end.h"

namespace weir::network {

class ChannelService;

// What the capabilities of one connection share. They live as long as calls to them, which may be
// longer than the connection.
// Thread: the network loop's.
class ConnectionLink final : public kj::Refcounted {
 public:
  using Rpc = capnp::RpcSystem<capnp::rpc::twoparty::VatId>;

  ConnectionLink(std::string peer, Rpc& rpc, std::shared_ptr<BlockMemory> memory)
      : peer_(std::move(peer)), memory_(std::move(memory)), rpc_(&rpc) {
    LimitFlow();
  }

  const std::string& peer() const { return peer_; }
  const std::shared_ptr<BlockMemory>& memory() const { return memory_; }
  bool IsOver() const { return rpc_ == nullptr; }
  void Insert(ChannelService& channel);
  void Erase(ChannelService& channel);
  // The connection has ended: its channels are lost.
  void End(const absl::Status& cause);

 private:
  void LimitFlow();

  const std::string peer_;
  const std::shared_ptr<BlockMemory> memory_;  // shared by the loop's connections and every block
  Rpc* rpc_;                                   // null: the connection is gone
  std::set<ChannelService*> channels_;
};

// Life:      as long as the producer or a call holds the capability.
// Invariant: at most one push waits for room; Cap'n Proto holds back the ones behind it.
class ChannelService final : public wire::DataChannel::Server, public RoomWaiter {
 public:
  // REQUIRES: the connection is not over.
  ChannelService(kj::Own<ConnectionLink> link, std::shared_ptr<ReceiveEnd> end);
  ~ChannelService() noexcept override;

  kj::Promise<void> push(PushContext context) override;
  kj::Promise<void> close(CloseContext context) override;
  void OnRoom() override;
  // Nothing more is taken, and the consumer is told.
  void Lose(const absl::Status& cause);

 private:
  // Elements of all frames before a damaged one may have been appended.
  absl::Status Decode(wire::DataChannel::PushParams::Reader params,
                      std::vector<StreamElement>* elements);
  kj::Promise<void> Refuse(const absl::Status& why);

  kj::Own<ConnectionLink> link_;
  const std::shared_ptr<ReceiveEnd> end_;  // shared with the receiver
  FrameDecoder decoder_;
  uint64_t sequence_ = 0;                                   // of the next frame
  bool is_over_ = false;                                    // closed or lost
  kj::Maybe<kj::Own<kj::PromiseFulfiller<void>>> waiting_;  // the push that waits for room
};

// Largest message of a data connection.
inline constexpr uint64_t kDataMessageWordsMax =
    (kFrameBytesMax + (16u << 10)) / sizeof(capnp::word);

}  // namespace weir::network
