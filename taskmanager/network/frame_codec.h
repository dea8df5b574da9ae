// FrameCodec: stream elements as the bytes that network frames carry (docs/formats/frames.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/types/record_batch.h"
#include "taskmanager/network/block_memory.h"
#include "taskmanager/network/stream_element.h"

namespace weir::network {

// What both ends of a connection must agree on.
inline constexpr uint32_t kFrameVersion = 1;

// Elements are gathered into a frame up to this size: where the price of a call no longer counts.
inline constexpr size_t kFrameBytesTarget = 64u << 10;
// Largest frame, and so the most that one message holds up others on its connection. An element
// that does not fit travels in parts.
inline constexpr size_t kFrameBytesMax = 1u << 20;
static_assert(kFrameBytesTarget < kFrameBytesMax);
static_assert(kFrameBytesMax >= 2 * types::kBatchBytesMax,
              "batches travel whole, but for huge rows");
// Frames that wait go together up to this size, where the price of a call is small beside that of
// the bytes.
inline constexpr size_t kPushBytesTarget = 256u << 10;
static_assert(kPushBytesTarget <= kFrameBytesMax);
// Most elements of one frame: what fits the target at the smallest element's size.
inline constexpr size_t kFrameElementsMax = 4096;
// Longest name of a checkpoint's place that a barrier carries.
inline constexpr size_t kBarrierLocationBytesMax = 16u << 10;

// Appends `element` as a run of bytes whose size is a multiple of 16.
// REQUIRES: not a Close, which is a call of its own; *out starts on such a multiple.
void AppendElement(const StreamElement& element, std::string* out);

// What AppendElement() made of one block, cut into elements of at most kFrameBytesMax bytes.
std::vector<std::string> SplitIntoParts(StringView element);

// Turns the frames of one channel back into elements.
// Thread:    confined to one thread.
// Invariant: between frames, partial_ holds the first bytes of a block that comes in parts.
class FrameDecoder {
 public:
  // Blocks are copied into `memory`, shared with other decoders.
  explicit FrameDecoder(std::shared_ptr<BlockMemory> memory) : memory_(std::move(memory)) {}

  // Appends the frame's elements; blocks are copied once, to 16-byte boundaries.
  // DATA_LOSS: not a frame of this version. Nothing was appended and the channel is beyond repair.
  absl::Status Decode(StringView frame, std::vector<StreamElement>* elements);

 private:
  absl::Status DecodeElement(uint8_t kind, StringView payload,
                             std::vector<StreamElement>* elements);
  absl::Status AddPart(StringView payload, std::vector<StreamElement>* elements);

  const std::shared_ptr<BlockMemory> memory_;
  std::string partial_;
  size_t partial_total_ = 0;  // 0: no block is under way
};

}  // namespace weir::network
