#include "common/rpc/vat.h"

#include <capnp/message.h>

#include "common/rpc/protocol.h"

namespace weir::rpc {
namespace {

capnp::ReaderOptions Limits() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kMessageBytesMax / sizeof(capnp::word);
  options.nestingLimit = kMessageNestingMax;
  return options;
}

capnp::rpc::twoparty::Side Opposite(capnp::rpc::twoparty::Side side) {
  return side == capnp::rpc::twoparty::Side::SERVER ? capnp::rpc::twoparty::Side::CLIENT
                                                    : capnp::rpc::twoparty::Side::SERVER;
}

}  // namespace

Vat::Vat(kj::Own<kj::AsyncIoStream> stream, capnp::rpc::twoparty::Side side,
         capnp::Capability::Client bootstrap)
    : stream_(kj::mv(stream)),
      network_(*stream_, side, Limits()),
      system_(capnp::makeRpcServer(network_, kj::mv(bootstrap))) {
  system_.setFlowLimit(kCallsInFlightBytesMax / sizeof(capnp::word));
}

capnp::Capability::Client Vat::PeerBootstrap() {
  capnp::MallocMessageBuilder message(8);
  auto id = message.initRoot<capnp::rpc::twoparty::VatId>();
  id.setSide(Opposite(network_.getSide()));
  return system_.bootstrap(id);
}

}  // namespace weir::rpc
