// TableLayout: how keys and values of one state table lie in memory, fixed when it is made.
// A slot is the key's words followed by the value's; a chunk is a header, one tag byte per slot,
// and the slots.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace weir::state {

// Keys of a table: one int64, or a run of bytes.
struct KeyFormat {
  enum class Kind : uint8_t { kFixed8 = 0, kBytes = 1 };

  Kind kind = Kind::kFixed8;
  // Bytes a key takes in its slot. kFixed8: 8. kBytes: 16, 24 or 32; keys shorter than this lie in
  // the slot, longer ones out of line. It may differ between a snapshot and its restore.
  uint32_t slot_bytes = 8;

  static KeyFormat Fixed8() { return {Kind::kFixed8, 8}; }
  // 24 holds two 64-bit columns or one string of up to 18 characters in the slot.
  static KeyFormat Bytes(uint32_t slot_bytes = 24) { return {Kind::kBytes, slot_bytes}; }
  static KeyFormat Of(bool is_fixed) { return is_fixed ? Fixed8() : Bytes(); }
  bool operator==(const KeyFormat&) const = default;
};

// Largest fixed part of a value: longer data belongs into blobs.
inline constexpr uint32_t kValueBytesMax = 16 * 1024;
// Largest number of blob fields in a value.
inline constexpr uint32_t kBlobFieldsMax = 64;

// Values of a table: `bytes` bytes (a multiple of 8, may be 0), zero in a new entry. At each of
// `blob_offsets` lies the 8-byte reference of an out-of-line field that only the table changes.
struct ValueLayout {
  uint32_t bytes = 8;
  std::vector<uint32_t> blob_offsets;

  bool operator==(const ValueLayout&) const = default;
};

// Slots of a chunk: at least the first, aims at kChunkBytes, never below the second at full size.
inline constexpr uint32_t kChunkSlotsMin = 8;
inline constexpr uint32_t kChunkSlotsFullMin = 64;
// Slots of a full-size chunk take about this much: small enough that the copy after a snapshot is
// not noticed in a batch, large enough that directories do not count.
inline constexpr uint32_t kChunkBytes = 8 * 1024;

// Immutable.
class TableLayout {
 public:
  // One size of chunks; the next is twice as large.
  struct ChunkClass {
    uint32_t capacity = 0;      // slots
    uint32_t count_max = 0;     // entries, so that a probe always ends
    uint32_t slots_offset = 0;  // of the first slot from the chunk's start
    uint64_t bytes = 0;
  };
  // Beyond the full size only for keys whose hashes do not separate.
  static constexpr uint32_t kClassCount = 16;

  // REQUIRES: formats within the limits above, blob offsets distinct multiples of 8 inside the
  // value.
  // `chunk_bytes` is what the slots of a full-size chunk aim to take.
  TableLayout(KeyFormat key, ValueLayout value, uint32_t chunk_bytes = kChunkBytes);

  const KeyFormat& key() const { return key_; }
  const ValueLayout& value() const { return value_; }
  bool has_blobs() const { return !value_.blob_offsets.empty(); }
  uint32_t key_bytes() const { return key_.slot_bytes; }
  uint32_t slot_bytes() const { return slot_bytes_; }
  const ChunkClass& chunk_class(uint32_t index) const { return classes_[index]; }
  // The class at which chunks split instead of growing.
  uint32_t full_class() const { return full_class_; }

 private:
  const KeyFormat key_;
  const ValueLayout value_;
  const uint32_t slot_bytes_;
  uint32_t full_class_ = 0;
  std::array<ChunkClass, kClassCount> classes_;
};

}  // namespace weir::state
