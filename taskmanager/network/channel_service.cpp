#include "taskmanager/network/channel_service.h"

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/status_macros.h"
#include "common/rpc/error_codec.h"
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
    : link_(kj::mv(link)), end_(std::move(end)), decoder_(link_->memory()) {
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
  std::vector<StreamElement> elements;
  absl::Status decoded;
  // What the library finds wrong with the message is the producer's fault as well.
  KJ_IF_MAYBE (exception, kj::runCatchingExceptions(
                              [&] { decoded = Decode(context.getParams(), &elements); })) {
    decoded = rpc::FromException(*exception, "a push");
  }
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

absl::Status ChannelService::Decode(wire::DataChannel::PushParams::Reader params,
                                    std::vector<StreamElement>* elements) {
  if (params.getSequence() != sequence_) return absl::DataLossError("a frame is missing");
  for (const capnp::Data::Reader bytes : params.getFrames()) {
    ++sequence_;
    WEIR_RETURN_IF_ERROR(
        decoder_.Decode(StringView(bytes.asChars().begin(), bytes.size()), elements));
  }
  return absl::OkStatus();
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
