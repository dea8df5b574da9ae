#include "taskmanager/network/channel_service.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "taskmanager/network/channel_registry.h"

namespace weir::network {
namespace {

// Words of calls whose answers are held: producers that wait for their consumers, and on every
// channel a window and the frame that overran it. A peer that keeps to its windows is never stopped
// by this; one that does not is not read any further.
constexpr uint64_t kOpenWords = 64;
constexpr uint64_t kOpensWordsMax = kHeldOpensMax * kOpenWords;
constexpr uint64_t kChannelWordsMax =
    kChannelWindowBytesMax / sizeof(capnp::word) + 2 * kDataMessageWordsMax;

}  // namespace

void ConnectionLink::Insert(ChannelService& channel) {
  channels_.insert(&channel);
  LimitFlow();
}

void ConnectionLink::Erase(ChannelService& channel) {
  channels_.erase(&channel);
  LimitFlow();
}

void ConnectionLink::End(const absl::Status& cause) {
  rpc_ = nullptr;
  for (ChannelService* channel : channels_) channel->Lose(cause);
}

void ConnectionLink::LimitFlow() {
  if (rpc_ != nullptr) rpc_->setFlowLimit(kOpensWordsMax + channels_.size() * kChannelWordsMax);
}

ChannelService::ChannelService(kj::Own<ConnectionLink> link, std::shared_ptr<ReceiveEnd> end)
    : link_(kj::mv(link)), end_(std::move(end)) {
  end_->SetWaiter(this);
  link_->Insert(*this);
}

ChannelService::~ChannelService() noexcept {
  Lose(absl::UnavailableError(absl::StrCat("the producer at ", link_->peer(), " has left")));
  end_->SetWaiter(nullptr);
  link_->Erase(*this);
}

kj::Promise<void> ChannelService::push(PushContext context) {
  if (is_over_) return KJ_EXCEPTION(FAILED, "the channel is over");
  const auto params = context.getParams();
  if (params.getSequence() != sequence_) return Refuse(absl::DataLossError("a frame is missing"));
  ++sequence_;
  const capnp::Data::Reader bytes = params.getElements();
  std::vector<StreamElement> elements;
  const absl::Status decoded =
      decoder_.Decode(StringView(bytes.asChars().begin(), bytes.size()), &elements);
  if (!decoded.ok()) return Refuse(decoded);
  context.releaseParams();
  end_->Push(std::move(elements));
  if (end_->HasRoom()) return kj::READY_NOW;
  // A producer that leaves does not wait for the consumer to drain.
  context.allowCancellation();
  auto room = kj::newPromiseAndFulfiller<void>();
  waiting_ = kj::mv(room.fulfiller);
  return kj::mv(room.promise);
}

kj::Promise<void> ChannelService::close(CloseContext context) {
  if (is_over_) return KJ_EXCEPTION(FAILED, "the channel is over");
  if (context.getParams().getSequence() != sequence_) {
    return Refuse(absl::DataLossError("a frame is missing"));
  }
  is_over_ = true;
  end_->Close();
  return kj::READY_NOW;
}

void ChannelService::OnRoom() {
  KJ_IF_MAYBE (waiting, waiting_) {
    if (!end_->HasRoom()) return;
    (*waiting)->fulfill();
    waiting_ = nullptr;
  }
}

void ChannelService::Lose(const absl::Status& cause) {
  if (std::exchange(is_over_, true)) return;
  end_->Lose(cause);
}

kj::Promise<void> ChannelService::Refuse(const absl::Status& why) {
  LOG(WARNING) << "channel refused peer=" << link_->peer() << " cause=" << why;
  Lose(absl::UnavailableError(absl::StrCat("producer at ", link_->peer(), ": ", why.message())));
  return KJ_EXCEPTION(FAILED, std::string(why.message()).c_str());
}

}  // namespace weir::network
