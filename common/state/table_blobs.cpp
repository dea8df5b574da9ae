// The out-of-line fields of StateTable.
#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "common/state/out_of_line.h"
#include "common/state/state_table.h"

namespace weir::state {
namespace {

// Largest blob: its size is stored in 32 bits, with room for growth by halves.
constexpr size_t kBlobBytesMax = size_t{1} << 31;

Blob* NewBlob(VersionedMemory& memory, size_t capacity) {
  WEIR_CHECK(capacity <= kBlobBytesMax);
  Blob* blob = static_cast<Blob*>(memory.Allocate(sizeof(Blob) + capacity));
  blob->version = memory.version();
  blob->size = 0;
  blob->capacity = static_cast<uint32_t>(capacity);
  return blob;
}

// Room that is neither too small nor mostly wasted.
bool Fits(const Blob& blob, size_t size) {
  return size <= blob.capacity && size >= blob.capacity / 2;
}

}  // namespace

bool StateTable::HasBlob(const std::byte* value, size_t field) const {
  return BlobAt(value, layout().value().blob_offsets[field]) != nullptr;
}

StringView StateTable::GetBlob(const std::byte* value, size_t field) const {
  Blob* blob = BlobAt(value, layout().value().blob_offsets[field]);
  if (blob == nullptr) return StringView();
  return StringView(reinterpret_cast<const char*>(blob->bytes()), blob->size);
}

void StateTable::SetBlob(std::byte* value, size_t field, StringView bytes) {
  const uint32_t offset = layout().value().blob_offsets[field];
  Blob* blob = BlobAt(value, offset);
  if (blob == nullptr || !memory_->IsWritable(blob->version) || !Fits(*blob, bytes.size())) {
    // The bytes may be a view of the old blob: it is given back only once they are copied.
    Blob* old = blob;
    blob = NewBlob(*memory_, bytes.size());
    if (!bytes.empty()) std::memcpy(blob->bytes(), bytes.data(), bytes.size());
    SetBlobAt(value, offset, blob);
    if (old != nullptr) memory_->Retire(old, old->block_bytes(), old->version);
  } else if (!bytes.empty()) {
    std::memmove(blob->bytes(), bytes.data(), bytes.size());
  }
  blob->size = static_cast<uint32_t>(bytes.size());
}

void StateTable::ClearBlob(std::byte* value, size_t field) {
  const uint32_t offset = layout().value().blob_offsets[field];
  Blob* blob = BlobAt(value, offset);
  if (blob == nullptr) return;
  SetBlobAt(value, offset, nullptr);
  memory_->Retire(blob, blob->block_bytes(), blob->version);
}

std::span<std::byte> StateTable::MutableBlob(std::byte* value, size_t field, size_t size) {
  const uint32_t offset = layout().value().blob_offsets[field];
  Blob* blob = BlobAt(value, offset);
  const bool is_in_place = blob != nullptr && memory_->IsWritable(blob->version);
  if (!is_in_place || size > blob->capacity) {
    Blob* old = blob;
    // A field that has grown once will grow again.
    const bool is_growing = old != nullptr && size > old->size;
    blob = NewBlob(*memory_, is_growing ? size + size / 2 : size);
    if (old != nullptr) {
      blob->size = std::min(old->size, static_cast<uint32_t>(size));
      std::memcpy(blob->bytes(), old->bytes(), blob->size);
      memory_->Retire(old, old->block_bytes(), old->version);
    }
    SetBlobAt(value, offset, blob);
  }
  if (size > blob->size) std::memset(blob->bytes() + blob->size, 0, size - blob->size);
  blob->size = static_cast<uint32_t>(size);
  return {blob->bytes(), size};
}

}  // namespace weir::state
