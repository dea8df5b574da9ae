#include "taskmanager/network/network_data_plane.h"

#include <utility>

#include <absl/hash/hash.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"

namespace weir::network {
namespace {

class RemoteReceiver final : public ChannelReceiver {
 public:
  RemoteReceiver(ChannelName name, std::shared_ptr<ReceiveEnd> end,
                 std::shared_ptr<ChannelRegistry> registry)
      : name_(name), end_(std::move(end)), registry_(std::move(registry)) {}
  ~RemoteReceiver() override {
    registry_->Forget(name_, *end_);
    end_->Detach();
  }

 private:
  const ChannelName name_;
  const std::shared_ptr<ReceiveEnd> end_;            // shared with a network loop
  const std::shared_ptr<ChannelRegistry> registry_;  // shared with the plane
};

class RemoteSender final : public ChannelSender {
 public:
  explicit RemoteSender(std::shared_ptr<SendChannel> channel) : channel_(std::move(channel)) {}
  ~RemoteSender() override { channel_->Detach(); }

  void Push(StreamElement element) override { channel_->Push(element); }
  bool HasRoom() override { return channel_->queue().HasRoom(); }
  bool IsIdle() override { return channel_->queue().IsIdle(); }

 private:
  const std::shared_ptr<SendChannel> channel_;  // shared with a network loop
};

}  // namespace

absl::StatusOr<std::unique_ptr<NetworkDataPlane>> NetworkDataPlane::Start(
    const NetworkOptions& options) {
  if (options.host.empty() || options.host == "*" || absl::StartsWith(options.host, "unix")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", options.host, "' is not the name or address of a host"));
  }
  if (options.loops == 0 || options.loops > kNetworkLoopsMax) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.loops, " network threads; there are 1 to ", kNetworkLoopsMax));
  }
  auto plane = std::unique_ptr<NetworkDataPlane>(new NetworkDataPlane());
  std::vector<NetworkLoop*> others;
  for (size_t i = 1; i < options.loops; ++i) {
    plane->loops_.push_back(NetworkLoop::Start(i, *plane->registry_));
    others.push_back(plane->loops_.back().get());
  }
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<NetworkLoop> listening,
                        NetworkLoop::StartListening({options.host, options.port}, std::move(others),
                                                    *plane->registry_));
  plane->loops_.push_back(std::move(listening));
  return plane;
}

NetworkDataPlane::~NetworkDataPlane() {
  registry_->Close(absl::UnavailableError("the data plane has stopped"));
  // The last deals connections out to the others: it ends before them.
  while (!loops_.empty()) loops_.pop_back();
}

std::unique_ptr<ChannelReceiver> NetworkDataPlane::Expect(const ChannelName& name, InputGate& gate,
                                                          uint32_t channel, ChannelLost lost) {
  auto end = std::make_shared<ReceiveEnd>(gate, channel, std::move(lost));
  const absl::Status expected = registry_->Expect(name, end);
  if (!expected.ok()) {
    // Told from another thread: the caller has no receiver yet.
    loops_.back()->port()->Post([end, expected] { end->Lose(expected); });
  }
  return std::make_unique<RemoteReceiver>(name, std::move(end), registry_);
}

std::unique_ptr<ChannelSender> NetworkDataPlane::Open(const ChannelName& name,
                                                      const std::string& address,
                                                      size_t channels_of_edge,
                                                      base::Mailbox& producer, ChannelLost lost) {
  const size_t hash = absl::HashOf(name.job, name.edge, name.producer, name.consumer);
  NetworkLoop& loop = *loops_[hash % loops_.size()];
  auto channel =
      std::make_shared<SendChannel>(SendTarget{name, address}, ChannelWindowBytes(channels_of_edge),
                                    producer, std::move(lost), loop.port(), loop);
  loop.port()->Schedule(channel);
  return std::make_unique<RemoteSender>(std::move(channel));
}

}  // namespace weir::network
