#include "common/state/table_layout.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/base/check.h"
#include "common/state/probe_key.h"
#include "common/state/table_nodes.h"

namespace weir::state {
namespace {

constexpr uint64_t kWordBytes = sizeof(uint64_t);

// Slots that fit `body` bytes behind the header, with their tags.
TableLayout::ChunkClass ClassOfBody(uint64_t body, uint32_t slot_bytes) {
  const uint64_t fixed = kTagGroup - 1 + kLineBytes - 1;
  const uint64_t capacity = body < fixed ? 0 : (body - fixed) / (slot_bytes + 1);
  const uint64_t tags = (capacity + kTagGroup - 1 + kLineBytes - 1) / kLineBytes * kLineBytes;
  TableLayout::ChunkClass made;
  made.capacity = static_cast<uint32_t>(capacity);
  made.count_max = static_cast<uint32_t>(capacity - std::max<uint64_t>(1, capacity / 8));
  // Slots begin on a cache line, so that small ones do not straddle two.
  made.slots_offset = static_cast<uint32_t>(kChunkHeaderBytes + tags);
  made.bytes = kChunkHeaderBytes + body;
  return made;
}

void CheckFormats(const KeyFormat& key, const ValueLayout& value) {
  const bool is_fixed = key.kind == KeyFormat::Kind::kFixed8;
  WEIR_CHECK(is_fixed ? key.slot_bytes == 8 : key.slot_bytes >= 16);
  WEIR_CHECK(key.slot_bytes <= kKeySlotBytesMax);
  WEIR_CHECK(key.slot_bytes % kWordBytes == 0);
  WEIR_CHECK(value.bytes % kWordBytes == 0);
  WEIR_CHECK(value.bytes <= kValueBytesMax);
  WEIR_CHECK(value.blob_offsets.size() <= kBlobFieldsMax);
  for (const uint32_t offset : value.blob_offsets) {
    WEIR_CHECK(offset % kWordBytes == 0);
    WEIR_CHECK(offset + kWordBytes <= value.bytes);
    WEIR_CHECK(std::count(value.blob_offsets.begin(), value.blob_offsets.end(), offset) == 1);
  }
}

}  // namespace

TableLayout::TableLayout(KeyFormat key, ValueLayout value, uint32_t chunk_bytes)
    : key_(key), value_(std::move(value)), slot_bytes_(key.slot_bytes + value_.bytes) {
  CheckFormats(key_, value_);
  uint64_t body = 128;
  while (ClassOfBody(body, slot_bytes_).capacity < kChunkSlotsMin) body *= 2;
  bool is_full_found = false;
  for (uint32_t index = 0; index < kClassCount; ++index, body *= 2) {
    classes_[index] = ClassOfBody(body, slot_bytes_);
    const bool is_full = body >= chunk_bytes && classes_[index].capacity >= kChunkSlotsFullMin;
    if (is_full && !is_full_found) full_class_ = index;
    is_full_found |= is_full;
  }
  WEIR_CHECK(is_full_found);
  WEIR_CHECK(classes_[kClassCount - 1].capacity > kChunkSlotsFullMin * 64);
}

}  // namespace weir::state
