// KeyCodec: the key columns of a batch as bytes and hashes, computed once per batch.
// Encoded keys and their partitioning hash are frozen: they decide which key group owns a key and
// are stored in checkpoints (docs/formats/keys.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/types/record_batch.h"

namespace weir::types {

// The keys of a batch's rows, in the order of its rows().
// Fixed: every key is one int64 (a single int32, int64, date or timestamp column that is not
// nullable). Otherwise each key is a run of bytes: per column 0 for NULL, or 1 and the value
// (little-endian; strings with a 32-bit length in front).
struct KeyBatch {
  bool is_fixed = false;
  PodVector<int64_t> fixed;     // if is_fixed
  PodVector<uint32_t> offsets;  // otherwise: size() + 1 offsets into bytes
  PodVector<char> bytes;
  PodVector<uint32_t> partition_hash;  // decides the key group; frozen

  size_t size() const { return partition_hash.size(); }
  StringView Bytes(size_t i) const {
    if (is_fixed) return StringView(reinterpret_cast<const char*>(&fixed[i]), sizeof(int64_t));
    return StringView(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// Immutable; shared by the subtasks of an edge.
class KeyCodec {
 public:
  // REQUIRES: `columns` index fields of `schema`, none an array.
  KeyCodec(SchemaPtr schema, std::vector<size_t> columns);

  bool is_fixed() const { return is_fixed_; }
  const std::vector<size_t>& columns() const { return columns_; }

  // Overwrites `keys` with those of the batch's selected rows; reuse it to keep its memory.
  void Encode(const RecordBatch& batch, KeyBatch* keys) const;

  // Appends an encoded key's values to `builders`, one per key column.
  // DATA_LOSS: `key` is not an encoding of these columns.
  absl::Status Decode(StringView key, std::vector<ColumnBuilder>* builders) const;

 private:
  void EncodeFixed(const RecordBatch& batch, KeyBatch* keys) const;
  void EncodeBytes(const RecordBatch& batch, KeyBatch* keys) const;

  const SchemaPtr schema_;
  const std::vector<size_t> columns_;
  bool is_fixed_;
};

// Hash of a single integer key: an int32 is its own hash, an int64 its low word XOR its high word.
constexpr uint32_t HashInt32Key(int32_t key) {
  return static_cast<uint32_t>(key);
}
constexpr uint32_t HashInt64Key(int64_t key) {
  const uint64_t bits = static_cast<uint64_t>(key);
  return static_cast<uint32_t>(bits ^ (bits >> 32));
}
// Of everything else: the low 32 bits of XXH3_64 (seed 0) over the encoded key.
uint32_t HashKeyBytes(StringView key);

}  // namespace weir::types
