// Limits and versions both ends of a connection between daemons must agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include <absl/time/time.h>

namespace weir::rpc {

// Raised with every change of schemas/rpc that an older build would misread.
inline constexpr uint32_t kProtocolVersion = 1;

// Largest message a peer may send. Cap'n Proto has one number for this and for how much of a
// message may be visited, so a sender stays below half of it: its reader may look twice.
inline constexpr size_t kMessageBytesMax = size_t{64} << 20;
inline constexpr size_t kPayloadBytesMax = size_t{30} << 20;
static_assert(kMessageBytesMax % sizeof(uint64_t) == 0, "Cap'n Proto counts in 8-byte words");
static_assert(2 * kPayloadBytesMax < kMessageBytesMax);

// Deepest nesting of structs and lists in a message; ours stay below 12.
inline constexpr int kMessageNestingMax = 32;

// Calls of one peer whose handling has begun and not ended, by the size of their messages: more is
// not read from the connection.
inline constexpr size_t kCallsInFlightBytesMax = 2 * kMessageBytesMax;

// How long a connection may take to come about, name look-up included.
inline constexpr absl::Duration kConnectTimeout = absl::Seconds(10);
// How long the peer may take to answer a call that does no work beyond its loop.
inline constexpr absl::Duration kCallTimeout = absl::Seconds(60);

}  // namespace weir::rpc
