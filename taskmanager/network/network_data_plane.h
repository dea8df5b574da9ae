// NetworkDataPlane: channels between taskmanagers, over TCP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "taskmanager/network/channel_registry.h"
#include "taskmanager/network/data_plane.h"
#include "taskmanager/network/network_loop.h"

namespace weir::network {

inline constexpr size_t kNetworkLoopsMax = 64;

struct NetworkOptions {
  std::string host = "127.0.0.1";  // the only address that is listened on
  uint16_t port = 0;               // 0: a free one
  size_t loops = 1;                // threads
};

// Life:   on stop, tasks end first, then their senders and receivers go, then this. Channels that
//         are still open when it stops are lost, and told so; their senders and receivers may go
//         later, and then do nothing.
// Thread: any. Start() and the destructor block until the network's threads have begun or ended; a
//         ChannelLost callback must not destroy the channel it belongs to, nor this.
class NetworkDataPlane final : public DataPlane {
 public:
  // Listens when it returns.
  // INVALID_ARGUMENT: not a host, or a number of loops beyond the limits. Else as rpc::ListenTcp().
  static absl::StatusOr<std::unique_ptr<NetworkDataPlane>> Start(const NetworkOptions& options);
  ~NetworkDataPlane() override;

  std::unique_ptr<ChannelReceiver> Expect(const ChannelName& name, InputGate& gate,
                                          uint32_t channel, ChannelLost lost) override;
  std::unique_ptr<ChannelSender> Open(const ChannelName& name, const std::string& address,
                                      size_t channels_of_edge, base::Mailbox& producer,
                                      ChannelLost lost) override;
  std::string address() const override { return loops_.back()->address(); }

 private:
  NetworkDataPlane() = default;

  // Shared with receivers, which may outlive this.
  const std::shared_ptr<ChannelRegistry> registry_ = std::make_shared<ChannelRegistry>();
  // Constant after Start(). The last one listens.
  std::vector<std::unique_ptr<NetworkLoop>> loops_;
};

}  // namespace weir::network
