// BlockCodec: a batch as one flat run of bytes, the form it has on the wire and in channel state.
// The bytes are described in docs/formats/blocks.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "common/types/buffer.h"
#include "common/types/record_batch.h"

namespace weir::types {

// Most bytes of one block: a batch may hold kBatchBytesMax and one row more, as many times as rows
// were gathered before its producer looked; and strings' offsets are 32 bits wide.
inline constexpr size_t kBlockBytesMax = 1u << 30;
static_assert(kBlockBytesMax > 2 * (kBatchBytesMax + kRowBytesMax));

// Appends the block of the batch's selected rows. Its parts are aligned to 16 bytes, counted from
// the block's first byte.
// REQUIRES: the block has at most kBlockBytesMax bytes.
void AppendBlock(const RecordBatch& batch, std::string* out);

inline std::string EncodeBlock(const RecordBatch& batch) {
  std::string block;
  AppendBlock(batch, &block);
  return block;
}

// The batch in `block`, whose columns are views into it and keep it alive. Everything is checked
// before anything is used. A block that does not lie on a 16-byte boundary is copied first.
// DATA_LOSS: not a block, cut, or its bytes do not match their checksum.
// FAILED_PRECONDITION: a block of another version, or its columns are not those of `schema`.
absl::StatusOr<BatchPtr> DecodeBlock(Buffer block, SchemaPtr schema);

}  // namespace weir::types
