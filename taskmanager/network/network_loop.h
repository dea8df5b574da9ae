// NetworkLoop: a thread that carries channels between this process and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/thread.h"
#include "taskmanager/network/channel_registry.h"
#include "taskmanager/network/loop_port.h"
#include "taskmanager/network/send_channel.h"

namespace weir::network {

// Where the network's connections come in.
struct ListenOptions {
  std::string host;
  uint16_t port = 0;  // 0: a free one
};

// Life:   the registry outlives it; the destructor ends and joins the thread.
// Thread: Start...() and the destructor block and may be called from any; Serve() from the loop.
class NetworkLoop final : public SendHost {
 public:
  // A loop that makes connections, and serves those that a listening one hands to it.
  static std::unique_ptr<NetworkLoop> Start(size_t index, ChannelRegistry& registry);
  // One that listens as well, and deals connections out to itself and `others`, which outlive it.
  // Codes of rpc::ListenTcp().
  static absl::StatusOr<std::unique_ptr<NetworkLoop>> StartListening(
      const ListenOptions& listen, std::vector<NetworkLoop*> others, ChannelRegistry& registry);
  ~NetworkLoop() override;
  NetworkLoop(const NetworkLoop&) = delete;
  NetworkLoop& operator=(const NetworkLoop&) = delete;

  const std::shared_ptr<LoopPort>& port() const { return port_; }
  // Where it listens, with the port that was found; empty: nowhere.
  const std::string& address() const { return address_; }

  void Serve(std::shared_ptr<SendChannel> channel) override;

 private:
  class Body;

  explicit NetworkLoop(ChannelRegistry& registry) : registry_(registry) {}
  // `listen` null: does not.
  absl::Status Begin(size_t index, const ListenOptions* listen, std::vector<NetworkLoop*> others);

  ChannelRegistry& registry_;
  // Shared with whoever has mail for the loop.
  const std::shared_ptr<LoopPort> port_ = std::make_shared<LoopPort>();
  std::string address_;   // constant after Begin()
  Body* body_ = nullptr;  // the thread's
  std::unique_ptr<base::Thread> thread_;
};

}  // namespace weir::network
