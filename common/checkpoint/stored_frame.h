// StoredFrame: the outer bytes of every small durable record: magic, version, size, checksum.
// Layout: docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "common/base/string_view.h"

namespace weir::checkpoint {

inline constexpr size_t kMagicBytes = 8;
// Magic, version, reserved, payload size.
inline constexpr size_t kFrameHeaderBytes = 24;
inline constexpr size_t kFrameChecksumBytes = 8;
static_assert(kFrameHeaderBytes % 8 == 0, "the payload is read in 8-byte words");

// REQUIRES: magic.size() == kMagicBytes.
std::string EncodeFrame(StringView magic, uint32_t version, StringView payload);

struct DecodedFrame {
  uint32_t version = 0;
  StringView payload;  // a view into the decoded bytes
};
// Believes nothing before the checksum holds. `what` begins every message, for example the path.
// DATA_LOSS: not such a record, cut short or damaged.
// FAILED_PRECONDITION: intact but of a version above `version_max`: a newer Weir wrote it.
absl::StatusOr<DecodedFrame> DecodeFrame(StringView magic, uint32_t version_max, StringView bytes,
                                         StringView what);

}  // namespace weir::checkpoint
