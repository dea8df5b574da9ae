#include "common/types/block_codec.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/hash.h"

namespace weir::types {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks are little-endian");

constexpr uint32_t kMagic = 0x4B4C4257;  // "WBLK"
constexpr uint16_t kVersion = 1;
constexpr uint16_t kHasChanges = 1;
constexpr uint16_t kHasEventTimes = 2;
constexpr size_t kAlignment = 16;

struct Header {
  uint64_t checksum = 0;  // XXH3_64, seed 0, of everything behind this field
  uint32_t magic = kMagic;
  uint16_t version = kVersion;
  uint16_t flags = 0;
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint64_t size = 0;  // bytes of the whole block
};
static_assert(sizeof(Header) == 32);

// One per column; an array's elements have one of their own behind it.
struct ColumnEntry {
  uint8_t kind = 0;
  uint8_t precision = 0;
  uint8_t scale = 0;
  uint8_t element = 0;
  uint8_t has_validity = 0;
  uint8_t reserved[3] = {0, 0, 0};
  uint32_t rows = 0;
  uint32_t reserved2 = 0;
  uint64_t value_bytes = 0;  // fixed-width values or string bytes
};
static_assert(sizeof(ColumnEntry) == 24);

constexpr size_t Aligned(size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

bool HasOffsets(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kArray;
}

ColumnEntry EntryOf(const Column& column) {
  ColumnEntry entry;
  const DataType& type = column.type();
  entry.kind = static_cast<uint8_t>(type.kind);
  entry.precision = type.precision;
  entry.scale = type.scale;
  entry.element = static_cast<uint8_t>(type.element);
  entry.has_validity = column.HasValidity() ? 1 : 0;
  entry.rows = static_cast<uint32_t>(column.size());
  if (type.kind == TypeKind::kString) {
    entry.value_bytes = column.offsets()[column.size()] - column.offsets()[0];
  } else {
    entry.value_bytes = column.size() * FixedWidth(type.kind);
  }
  return entry;
}

// Appends parts at aligned places behind the block's start.
class BlockWriter {
 public:
  explicit BlockWriter(std::string* out) : out_(*out), start_(out->size()) {}

  size_t size() const { return out_.size() - start_; }
  void Part(const void* data, size_t size) {
    if (size > 0) out_.append(static_cast<const char*>(data), size);
    out_.resize(start_ + Aligned(this->size()));
  }
  void Entry(const ColumnEntry& entry) {
    out_.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
  }
  char* data() { return out_.data() + start_; }

 private:
  std::string& out_;
  const size_t start_;
};

void WriteOffsets(const Column& column, BlockWriter* writer) {
  const uint32_t* offsets = column.offsets();
  if (offsets[0] == 0) {
    return writer->Part(offsets, (column.size() + 1) * sizeof(uint32_t));
  }
  PodVector<uint32_t> rebased(column.size() + 1);
  for (size_t i = 0; i <= column.size(); ++i) rebased[i] = offsets[i] - offsets[0];
  writer->Part(rebased.data(), rebased.size() * sizeof(uint32_t));
}

// The elements that an array column's rows use, as a column that starts with them.
ColumnPtr UsedElements(const Column& arrays) {
  ColumnBuilder builder(arrays.child().type());
  builder.AppendRange(arrays.child(), arrays.offsets()[0], arrays.offsets()[arrays.size()]);
  return builder.Finish();
}

const void* FixedValues(const Column& column) {
  switch (FixedWidth(column.type().kind)) {
    case sizeof(uint8_t):
      return column.Values<uint8_t>();
    case sizeof(int32_t):
      return column.Values<int32_t>();
    case sizeof(int64_t):
      return column.Values<int64_t>();
    default:
      return column.Values<Int128>();
  }
}

void WriteColumn(const Column& column, BlockWriter* writer) {
  if (column.HasValidity()) writer->Part(column.validity(), column.size());
  if (HasOffsets(column.type().kind)) WriteOffsets(column, writer);
  if (column.type().kind == TypeKind::kString) {
    const uint32_t* offsets = column.offsets();
    writer->Part(column.string_bytes() + offsets[0], offsets[column.size()] - offsets[0]);
  } else if (!column.type().IsArray()) {
    writer->Part(FixedValues(column), column.size() * FixedWidth(column.type().kind));
  }
}

// The columns of the selected rows, an array's elements behind it.
std::vector<ColumnPtr> ColumnsToWrite(const RecordBatch& batch) {
  std::vector<ColumnPtr> columns;
  for (const ColumnPtr& column : batch.columns()) {
    columns.push_back(batch.HasSelection() ? GatherColumn(*column, batch.rows()) : column);
    if (column->type().IsArray()) columns.push_back(UsedElements(*columns.back()));
  }
  return columns;
}

template <class T>
void WriteRowPart(const RecordBatch& batch, const T* values, BlockWriter* writer) {
  if (!batch.HasSelection()) return writer->Part(values, batch.physical_rows() * sizeof(T));
  PodVector<T> selected;
  selected.reserve(batch.size());
  for (const uint32_t row : batch.rows()) selected.push_back(values[row]);
  writer->Part(selected.data(), selected.size() * sizeof(T));
}

absl::Status Corrupt(StringView what) {
  return absl::DataLossError(absl::StrCat("a block of rows is damaged: ", what));
}

// Takes parts off a block in the order in which BlockWriter wrote them.
class BlockReader {
 public:
  // The parts keep `block`'s memory alive.
  BlockReader(const Buffer& block, size_t at)
      : block_(block), owner_(std::make_shared<const Buffer>(block)), at_(at) {}

  absl::Status Entry(ColumnEntry* entry) {
    if (block_.size() - at_ < sizeof(*entry)) return Corrupt("its list of columns is cut");
    std::memcpy(entry, Bytes(), sizeof(*entry));
    at_ += sizeof(*entry);
    return absl::OkStatus();
  }
  // Ends the list of columns.
  absl::Status Align() {
    const size_t aligned = Aligned(at_);
    if (aligned > block_.size()) return Corrupt("it is cut");
    at_ = aligned;
    return absl::OkStatus();
  }
  absl::Status Part(uint64_t size, Buffer* part) {
    if (size > block_.size() - at_) return Corrupt("a part is longer than the block");
    *part = Buffer(Bytes(), size, owner_);
    at_ += size;
    return Align();
  }
  bool AtEnd() const { return at_ == block_.size(); }

 private:
  const char* Bytes() const { return block_.As<char>() + at_; }

  const Buffer& block_;
  const std::shared_ptr<const Buffer> owner_;
  size_t at_;  // <= block_.size()
};

// Whether all `size` bytes are at most `limit`.
bool AllAtMost(const Buffer& bytes, size_t size, uint8_t limit) {
  uint8_t highest = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint8_t byte = bytes.As<uint8_t>()[i];
    highest = byte > highest ? byte : highest;
  }
  return highest <= limit;
}

// Ascending from 0; the last one is the number of elements they point into.
bool AreOffsets(const Buffer& offsets, size_t rows, uint64_t* last) {
  const uint32_t* values = offsets.As<uint32_t>();
  if (values[0] != 0) return false;
  for (size_t i = 0; i < rows; ++i) {
    if (values[i] > values[i + 1]) return false;
  }
  *last = values[rows];
  return true;
}

absl::Status CheckEntry(const ColumnEntry& entry, const DataType& type, StringView name) {
  const DataType stored{static_cast<TypeKind>(entry.kind), entry.precision, entry.scale,
                        static_cast<TypeKind>(entry.element)};
  if (stored == type) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("a block of rows has another type than ",
                                                    type.ToString(), " in column '", name,
                                                    "': the two sides run different plans"));
}

class BlockDecoder {
 public:
  BlockDecoder(Buffer block, SchemaPtr schema)
      : block_(std::move(block)), schema_(std::move(schema)), reader_(block_, sizeof(Header)) {}

  absl::StatusOr<BatchPtr> Decode() {
    WEIR_RETURN_IF_ERROR(ReadHeader());
    WEIR_RETURN_IF_ERROR(ReadEntries());
    RecordBatch::Parts parts;
    parts.schema = schema_;
    parts.physical_rows = header_.rows;
    WEIR_RETURN_IF_ERROR(ReadRowParts(&parts));
    size_t next = 0;
    for (const Field& field : schema_->fields()) {
      const ColumnEntry& entry = entries_[next++];
      if (entry.rows != header_.rows) return Corrupt("a column has another number of rows");
      ColumnPtr column;
      if (field.type.IsArray()) {
        WEIR_ASSIGN_OR_RETURN(column, ReadArrays(field.type, entry, entries_[next++]));
      } else {
        WEIR_ASSIGN_OR_RETURN(column, ReadColumn(field.type, entry));
      }
      parts.columns.push_back(std::move(column));
    }
    if (!reader_.AtEnd()) return Corrupt("bytes are left behind its columns");
    return RecordBatch::Make(std::move(parts));
  }

 private:
  absl::Status ReadHeader() {
    if (block_.size() < sizeof(Header)) return Corrupt("it is shorter than a header");
    std::memcpy(&header_, block_.data(), sizeof(header_));
    if (header_.magic != kMagic) return Corrupt("it does not begin like one");
    if (header_.size != block_.size()) return Corrupt("it has another size than it says");
    const char* covered = block_.As<char>() + sizeof(header_.checksum);
    if (io::Xxh3(covered, block_.size() - sizeof(header_.checksum)) != header_.checksum) {
      return Corrupt("its checksum does not match");
    }
    if (header_.version != kVersion) {
      return absl::FailedPreconditionError(absl::StrCat(
          "a block of rows of version ", header_.version, "; this program reads ", kVersion));
    }
    if (header_.rows > kBatchRowsMax) return Corrupt("it has too many rows");
    if (header_.columns != schema_->size()) {
      return absl::FailedPreconditionError(absl::StrCat("a block of rows has ", header_.columns,
                                                        " columns instead of ", schema_->size(),
                                                        ": the two sides run different plans"));
    }
    return absl::OkStatus();
  }

  absl::Status ReadEntries() {
    for (const Field& field : schema_->fields()) {
      WEIR_RETURN_IF_ERROR(reader_.Entry(&entries_.emplace_back()));
      WEIR_RETURN_IF_ERROR(CheckEntry(entries_.back(), field.type, field.name));
      if (!field.type.IsArray()) continue;
      WEIR_RETURN_IF_ERROR(reader_.Entry(&entries_.emplace_back()));
      WEIR_RETURN_IF_ERROR(CheckEntry(entries_.back(), field.type.ElementType(), field.name));
    }
    return reader_.Align();
  }

  absl::Status ReadRowParts(RecordBatch::Parts* parts) {
    if ((header_.flags & kHasChanges) != 0) {
      WEIR_RETURN_IF_ERROR(reader_.Part(header_.rows, &parts->changes));
      if (!AllAtMost(parts->changes, header_.rows, static_cast<uint8_t>(ChangeKind::kDelete))) {
        return Corrupt("an unknown kind of change");
      }
    }
    if ((header_.flags & kHasEventTimes) != 0) {
      WEIR_RETURN_IF_ERROR(reader_.Part(header_.rows * sizeof(EventTimeUs), &parts->event_times));
    }
    return absl::OkStatus();
  }

  absl::Status ReadValidity(const ColumnEntry& entry, Buffer* validity) {
    if (entry.has_validity == 0) return absl::OkStatus();
    WEIR_RETURN_IF_ERROR(reader_.Part(entry.rows, validity));
    if (!AllAtMost(*validity, entry.rows, 1)) return Corrupt("a row is neither null nor not null");
    return absl::OkStatus();
  }

  absl::Status ReadOffsets(const ColumnEntry& entry, Buffer* offsets, uint64_t* last) {
    WEIR_RETURN_IF_ERROR(reader_.Part((uint64_t{entry.rows} + 1) * sizeof(uint32_t), offsets));
    if (!AreOffsets(*offsets, entry.rows, last)) return Corrupt("offsets do not ascend");
    return absl::OkStatus();
  }

  absl::StatusOr<ColumnPtr> ReadColumn(const DataType& type, const ColumnEntry& entry) {
    Buffer validity;
    Buffer values;
    WEIR_RETURN_IF_ERROR(ReadValidity(entry, &validity));
    if (type.kind == TypeKind::kString) {
      Buffer offsets;
      uint64_t bytes = 0;
      WEIR_RETURN_IF_ERROR(ReadOffsets(entry, &offsets, &bytes));
      if (bytes != entry.value_bytes) return Corrupt("a string column has another size");
      WEIR_RETURN_IF_ERROR(reader_.Part(entry.value_bytes, &values));
      return Column::Strings(entry.rows, std::move(offsets), std::move(values),
                             std::move(validity));
    }
    if (entry.value_bytes != uint64_t{entry.rows} * FixedWidth(type.kind)) {
      return Corrupt("a column has another size");
    }
    WEIR_RETURN_IF_ERROR(reader_.Part(entry.value_bytes, &values));
    if (type.kind == TypeKind::kBool && !AllAtMost(values, entry.rows, 1)) {
      return Corrupt("a bool is neither true nor false");
    }
    return Column::Fixed(type, entry.rows, std::move(values), std::move(validity));
  }

  absl::StatusOr<ColumnPtr> ReadArrays(const DataType& type, const ColumnEntry& entry,
                                       const ColumnEntry& child_entry) {
    Buffer validity;
    Buffer offsets;
    uint64_t elements = 0;
    WEIR_RETURN_IF_ERROR(ReadValidity(entry, &validity));
    WEIR_RETURN_IF_ERROR(ReadOffsets(entry, &offsets, &elements));
    if (elements != child_entry.rows) return Corrupt("an array has another number of elements");
    WEIR_ASSIGN_OR_RETURN(ColumnPtr child, ReadColumn(type.ElementType(), child_entry));
    return Column::Arrays(entry.rows, std::move(offsets), std::move(child), std::move(validity));
  }

  const Buffer block_;
  const SchemaPtr schema_;
  Header header_;
  std::vector<ColumnEntry> entries_;
  BlockReader reader_;
};

// The same bytes where every aligned part of them is aligned in memory.
Buffer OnBoundary(Buffer block) {
  if (reinterpret_cast<uintptr_t>(block.data()) % kAlignment == 0) return block;
  PodVector<Int128> copy((block.size() + sizeof(Int128) - 1) / sizeof(Int128));
  std::memcpy(copy.data(), block.data(), block.size());
  Buffer owned = Buffer::Of(std::move(copy));
  return Buffer(owned.data(), block.size(), std::make_shared<Buffer>(owned));
}

}  // namespace

void AppendBlock(const RecordBatch& batch, std::string* out) {
  BlockWriter writer(out);
  Header header;
  header.rows = static_cast<uint32_t>(batch.size());
  header.columns = static_cast<uint32_t>(batch.columns().size());
  if (batch.HasChanges()) header.flags |= kHasChanges;
  if (batch.HasEventTimes()) header.flags |= kHasEventTimes;
  writer.Part(&header, sizeof(header));
  const std::vector<ColumnPtr> columns = ColumnsToWrite(batch);
  for (const ColumnPtr& column : columns) writer.Entry(EntryOf(*column));
  writer.Part(nullptr, 0);
  if (batch.HasChanges()) WriteRowPart(batch, batch.changes().As<uint8_t>(), &writer);
  if (batch.HasEventTimes()) WriteRowPart(batch, batch.event_times(), &writer);
  for (const ColumnPtr& column : columns) WriteColumn(*column, &writer);
  WEIR_CHECK(writer.size() <= kBlockBytesMax);
  header.size = writer.size();
  std::memcpy(writer.data(), &header, sizeof(header));
  header.checksum =
      io::Xxh3(writer.data() + sizeof(header.checksum), writer.size() - sizeof(header.checksum));
  std::memcpy(writer.data(), &header.checksum, sizeof(header.checksum));
}

absl::StatusOr<BatchPtr> DecodeBlock(Buffer block, SchemaPtr schema) {
  if (block.size() > kBlockBytesMax) return Corrupt("it is too large");
  if (block.empty()) return Corrupt("it is empty");
  return BlockDecoder(OnBoundary(std::move(block)), std::move(schema)).Decode();
}

}  // namespace weir::types
