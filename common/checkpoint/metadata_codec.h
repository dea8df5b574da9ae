// The stored form of CheckpointMetadata: a StoredFrame around a Cap'n Proto message
// (schemas/stored/checkpoint.capnp). Bytes: docs/formats/checkpoint.md; a golden file per version
// lies in tests/golden.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/checkpoint/metadata.h"

namespace weir::checkpoint {

inline constexpr char kMetadataMagic[] = "WEIRCKPT";
inline constexpr uint32_t kMetadataVersion = 1;
// Largest encoded metadata: kSubtaskCountMax subtasks with a few handles each, inline state aside,
// stay far below.
inline constexpr uint64_t kMetadataBytesMax = uint64_t{256} << 20;

// REQUIRES: ValidateMetadata() is OK.
// RESOURCE_EXHAUSTED: more than kMetadataBytesMax.
absl::StatusOr<std::string> EncodeMetadata(const CheckpointMetadata& metadata);

// `what` begins every message, for example the path. Errors as DecodeFrame() and
// ValidateMetadata().
absl::StatusOr<CheckpointMetadata> DecodeMetadata(StringView bytes, StringView what);

// What every reader may rely on: names and ids fit, ranges, offsets and sizes are in bounds, no
// path leaves its directory. DATA_LOSS: says what is wrong.
absl::Status ValidateMetadata(const CheckpointMetadata& metadata);

}  // namespace weir::checkpoint
