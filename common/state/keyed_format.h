// The frame of a keyed snapshot: header and block heads, version 1. docs/formats/keyed_state.md has
// every byte. Used by the writer and the reader of snapshots only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/state/key_group.h"
#include "common/state/keyed_backend.h"

namespace weir::state {

inline constexpr char kKeyedMagic[] = "WEIRKEYS";
inline constexpr uint32_t kKeyedVersion = 1;
inline constexpr size_t kKeyedPrefixBytes = 24;
inline constexpr uint8_t kCompressionNone = 0;

// Payload of a block, unless a single entry is larger: what a reader holds in memory and what one
// flipped bit takes down.
inline constexpr size_t kBlockPayloadBytes = 64 * 1024;
// In place of an offset: the group has no entries. No group lies there, the header does.
inline constexpr uint64_t kNoEntries = 0;
// In place of a blob's size: the field has none.
inline constexpr uint32_t kNoBlob = UINT32_MAX;

struct StoredState {
  StateSpec spec;
  bool is_namespaced = false;
};

struct KeyedHeader {
  uint8_t compression = kCompressionNone;
  uint32_t max_parallelism = 0;
  KeyGroupRange range;
  std::vector<StoredState> states;
};

// The whole header, prefix included.
std::string EncodeKeyedHeader(const KeyedHeader& header);
// From the first kKeyedPrefixBytes the number of bytes that follow. DATA_LOSS: not such a stream.
// UNIMPLEMENTED: written by a newer version.
absl::Status DecodeKeyedPrefix(StringView prefix, uint32_t* body_bytes);
// DATA_LOSS: damaged. UNIMPLEMENTED: a compression this version does not know.
absl::Status DecodeKeyedHeader(StringView prefix, StringView body, KeyedHeader* header);

// In front of each block's payload. The checksum covers everything behind itself.
struct BlockHead {
  uint64_t checksum = 0;
  uint32_t payload_bytes = 0;
  uint32_t group = 0;
  uint32_t index = 0;    // 0, 1, ... within the group
  uint32_t is_last = 0;  // of the group
};
static_assert(sizeof(BlockHead) == 24, "stored as it lies in memory");

// In front of entries of one state and namespace within a block.
struct RunHead {
  uint32_t state = 0;
  uint32_t count = 0;
  int64_t name_space = 0;  // 0 for a state without namespaces
};
static_assert(sizeof(RunHead) == 16, "stored as it lies in memory");

}  // namespace weir::state
