#include "common/rpc/client_connection.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/rpc/call_deadline.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/tcp_listener.h"
#include "common/rpc/vat.h"

namespace weir::rpc {

struct ClientConnection::Open {
  explicit Open(kj::Own<kj::AsyncIoStream> stream)
      : vat(kj::mv(stream), capnp::rpc::twoparty::Side::CLIENT, nullptr),
        bootstrap(vat.PeerBootstrap()) {}
  Vat vat;
  // Asked for at once: before that Cap'n Proto reads nothing and so sees no end.
  capnp::Capability::Client bootstrap;
};

ClientConnection::ClientConnection(ControlLoop& loop, std::string address, absl::Duration deadline,
                                   Callbacks callbacks)
    : loop_(loop),
      address_(std::move(address)),
      callbacks_(std::move(callbacks)),
      alive_(std::make_shared<const bool>(true)),
      tasks_(*this) {
  Connect(deadline);
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::Connect(absl::Duration deadline) {
  kj::Promise<kj::Own<kj::AsyncIoStream>> connecting = kj::evalLater([this] {
    return loop_.io()
        .provider->getNetwork()
        .parseAddress(kj::StringPtr(address_.c_str(), address_.size()))
        .then([](kj::Own<kj::NetworkAddress> address) {
          auto connection = address->connect();
          return connection.attach(kj::mv(address));
        });
  });
  tasks_.add(WithDeadline(loop_.io().provider->getTimer(), deadline, kj::mv(connecting))
                 .then([this](kj::Own<kj::AsyncIoStream> stream) { OnStream(kj::mv(stream)); },
                       [this](kj::Exception&& exception) {
                         absl::Status cause = FromException(exception, address_);
                         // A look-up that fails is not a bug of this process.
                         if (absl::IsInternal(cause)) {
                           cause = absl::UnavailableError(cause.message());
                         }
                         End(std::move(cause));
                       }));
}

void ClientConnection::OnStream(kj::Own<kj::AsyncIoStream> stream) {
  TuneTcp(*stream);
  open_ = std::make_unique<Open>(kj::mv(stream));
  tasks_.add(open_->vat.OnDisconnect().then([this] {
    End(absl::UnavailableError(absl::StrCat(address_, ": the connection was closed")));
  }));
  Tell(callbacks_.connected);
}

capnp::Capability::Client ClientConnection::Bootstrap() {
  WEIR_CHECK(open_ != nullptr);
  return open_->bootstrap;
}

void ClientConnection::End(absl::Status cause) {
  if (ended_) return;
  ended_ = true;
  Tell([ended = callbacks_.ended, cause = std::move(cause)] { ended(cause); });
}

void ClientConnection::Tell(std::function<void()> callback) {
  loop_.mailbox().PostControl(
      [alive = std::weak_ptr<const bool>(alive_), callback = std::move(callback)] {
        if (!alive.expired()) callback();
      });
}

void ClientConnection::taskFailed(kj::Exception&& exception) {
  End(FromException(exception, address_));
}

}  // namespace weir::rpc
