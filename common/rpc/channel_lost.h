// The mark of a task that failed only because the other side of a channel went away. Whatever took
// the other side away is the cause; this failure merely follows.
#pragma once

#include <absl/status/status.h>
#include <absl/strings/cord.h>

namespace weir::rpc {

// The payload's name. It has no bytes.
inline constexpr char kChannelLostPayload[] = "weir/channel-lost";

// REQUIRES: not OK.
inline absl::Status MarkChannelLost(absl::Status status) {
  status.SetPayload(kChannelLostPayload, absl::Cord());
  return status;
}

inline bool IsChannelLost(const absl::Status& status) {
  return status.GetPayload(kChannelLostPayload).has_value();
}

}  // namespace weir::rpc
