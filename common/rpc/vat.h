// Vat: one end of a connection that speaks Cap'n Proto, with this project's limits.
#pragma once

#include <capnp/capability.h>
#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

namespace weir::rpc {

// Life:   destroying it closes the connection; calls under way fail with DISCONNECTED.
// Thread: the loop's. Must not be destroyed by a call it is delivering.
class Vat final {
 public:
  // Serves `bootstrap`; null: nothing.
  Vat(kj::Own<kj::AsyncIoStream> stream, capnp::rpc::twoparty::Side side,
      capnp::Capability::Client bootstrap);
  Vat(const Vat&) = delete;
  Vat& operator=(const Vat&) = delete;

  // What the other end serves.
  capnp::Capability::Client PeerBootstrap();
  // Resolves when the peer has gone.
  kj::Promise<void> OnDisconnect() { return network_.onDisconnect(); }

 private:
  kj::Own<kj::AsyncIoStream> stream_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> system_;
};

}  // namespace weir::rpc
