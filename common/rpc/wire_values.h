// The small values every message is made of: text, bytes and ids, to and from Cap'n Proto.
#pragma once

#include <cstdint>
#include <string>

#include <absl/time/time.h>
#include <capnp/blob.h>

#include "common/base/ids.h"
#include "schemas/rpc/common.capnp.h"

namespace weir::rpc {

// A view of `text`, which must live until it has been set in a message.
inline capnp::Text::Reader TextOf(const std::string& text) {
  return {text.data(), text.size()};
}
inline std::string StringOf(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}

template <class T>
uint32_t SizeOf(const T& container) {
  return static_cast<uint32_t>(container.size());
}

template <class Id>
void WriteId(const Id& id, wire::Id128::Builder out) {
  out.setHigh(id.high);
  out.setLow(id.low);
}
template <class Id>
Id ReadId(wire::Id128::Reader in) {
  return Id{in.getHigh(), in.getLow()};
}

}  // namespace weir::rpc
