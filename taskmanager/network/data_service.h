// DataService: the consuming side: the connections that other taskmanagers made to this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include <kj/async-io.h>
#include <kj/time.h>
#include <kj/timer.h>

#include "taskmanager/network/channel_registry.h"
#include "taskmanager/network/channel_service.h"
#include "taskmanager/network/loop_port.h"

namespace weir::network {

// How long a producer waits for its consumer to be deployed.
inline constexpr kj::Duration kHeldOpenTimeMax = 30 * kj::SECONDS;
// Most connections of one loop: several times the taskmanagers a cluster may have.
inline constexpr size_t kDataConnectionsMax = 4096;

// Life:   what it starts may outlive it by some turns of the loop, which run before the loop ends.
// Thread: the network loop's.
class DataService final : private kj::TaskSet::ErrorHandler {
 public:
  // `timer` and `registry` outlive this; `port` is that of the loop.
  DataService(kj::Timer& timer, ChannelRegistry& registry, std::shared_ptr<LoopPort> port);
  ~DataService();
  KJ_DISALLOW_COPY(DataService);

  // Serves a connection until it ends. One too many is closed at once.
  void Accept(kj::Own<kj::AsyncIoStream> stream);

 private:
  struct Connection;
  class PlaneService;
  class OpenTable;

  void taskFailed(kj::Exception&& exception) override;

  kj::Own<OpenTable> opens_;
  const std::shared_ptr<BlockMemory> memory_ =
      std::make_shared<BlockMemory>();  // and every block's
  uint64_t last_connection_ = 0;
  std::map<uint64_t, kj::Own<Connection>> connections_;
  kj::TaskSet tasks_;
};

}  // namespace weir::network
