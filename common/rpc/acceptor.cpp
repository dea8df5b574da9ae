#include "common/rpc/acceptor.h"

#include <utility>

#include <glog/logging.h>

#include "common/rpc/error_codec.h"

namespace weir::rpc {
namespace {

// Between two tries while the system refuses.
constexpr BackoffOptions kPause{.initial = absl::Milliseconds(100), .max = absl::Seconds(1)};
// Between two warnings, however often it begins and ends.
constexpr kj::Duration kWarningInterval = 30 * kj::SECONDS;

}  // namespace

Acceptor::Acceptor(kj::ConnectionReceiver& receiver, kj::Timer& timer, std::string address,
                   Take take)
    : receiver_(receiver),
      timer_(timer),
      address_(std::move(address)),
      take_(std::move(take)),
      backoff_(kPause, /*seed=*/0),
      warn_at_(timer.now()),
      accepting_(Next().eagerlyEvaluate(nullptr)) {
}

kj::Promise<void> Acceptor::Next() {
  // KJ accepts inside the call when a connection waits already, and then also throws inside it.
  return kj::evalNow([this] { return receiver_.accept(); })
      .then([this](kj::Own<kj::AsyncIoStream> stream) { OnAccepted(kj::mv(stream)); })
      .catch_([this](kj::Exception&& exception) { return OnRefused(exception); })
      .then([this] { return Next(); });
}

void Acceptor::OnAccepted(kj::Own<kj::AsyncIoStream> stream) {
  if (is_warned_) LOG(INFO) << "connections are accepted again address=" << address_;
  is_warned_ = false;
  backoff_.Reset();
  take_(kj::mv(stream));
}

kj::Promise<void> Acceptor::OnRefused(const kj::Exception& exception) {
  if (const kj::TimePoint now = timer_.now(); now >= warn_at_) {
    warn_at_ = now + kWarningInterval;
    is_warned_ = true;
    LOG(WARNING) << "connection not accepted, trying again; if descriptors are short, raise the "
                    "limit (ulimit -n) address="
                 << address_ << " cause=" << FromException(exception, "accept");
  }
  return timer_.afterDelay(absl::ToInt64Microseconds(backoff_.Next()) * kj::MICROSECONDS);
}

}  // namespace weir::rpc
