#include "common/types/column.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir::types {
namespace {

// Adds `more` bytes whose values the caller writes. A PodVector that grows by itself moves its
// elements one by one, because its allocator constructs them.
char* Extend(PodVector<char>* bytes, size_t more) {
  const size_t at = bytes->size();
  if (bytes->capacity() - at < more) {
    PodVector<char> larger;
    larger.reserve(std::max(at + more, 2 * bytes->capacity()));
    larger.resize(at);
    if (at > 0) std::memcpy(larger.data(), bytes->data(), at);
    bytes->swap(larger);
  }
  bytes->resize(at + more);
  return bytes->data() + at;
}

}  // namespace

ColumnPtr Column::Fixed(DataType type, size_t size, Buffer values, Buffer validity) {
  WEIR_CHECK(values.size() >= size * FixedWidth(type.kind));
  WEIR_CHECK(validity.empty() || validity.size() >= size);
  auto column = std::make_shared<Column>(type, size);
  column->values_ = std::move(values);
  column->validity_ = std::move(validity);
  return column;
}

ColumnPtr Column::Strings(size_t size, Buffer offsets, Buffer bytes, Buffer validity) {
  WEIR_CHECK(offsets.size() >= (size + 1) * sizeof(uint32_t));
  WEIR_CHECK(validity.empty() || validity.size() >= size);
  WEIR_CHECK(offsets.As<uint32_t>()[size] <= bytes.size());
  auto column = std::make_shared<Column>(kStringType, size);
  column->values_ = std::move(bytes);
  column->offsets_ = std::move(offsets);
  column->validity_ = std::move(validity);
  return column;
}

ColumnPtr Column::Arrays(size_t size, Buffer offsets, ColumnPtr child, Buffer validity) {
  WEIR_CHECK(offsets.size() >= (size + 1) * sizeof(uint32_t));
  WEIR_CHECK(validity.empty() || validity.size() >= size);
  WEIR_CHECK(offsets.As<uint32_t>()[size] <= child->size());
  auto column = std::make_shared<Column>(ArrayType(child->type()), size);
  column->offsets_ = std::move(offsets);
  column->child_ = std::move(child);
  column->validity_ = std::move(validity);
  return column;
}

size_t Column::ByteSize() const {
  size_t bytes = HasValidity() ? size_ : 0;
  if (type_.kind == TypeKind::kArray) return bytes + size_ * sizeof(uint32_t) + child_->ByteSize();
  if (type_.kind != TypeKind::kString) return bytes + size_ * FixedWidth(type_.kind);
  return bytes + (size_ + 1) * sizeof(uint32_t) + offsets()[size_] - offsets()[0];
}

ColumnBuilder::ColumnBuilder(DataType type) : type_(type) {
  if (type.kind == TypeKind::kString || type.kind == TypeKind::kArray) offsets_.push_back(0);
  if (type.kind == TypeKind::kArray) child_ = std::make_unique<ColumnBuilder>(type.ElementType());
}

void ColumnBuilder::Reserve(size_t rows) {
  fixed_.reserve(rows * FixedWidth(type_.kind));
  if (!offsets_.empty()) offsets_.reserve(rows + 1);
}

void ColumnBuilder::NeedValidity() {
  if (!validity_.empty() || size_ == 0) return;
  validity_.resize(size_);
  std::memset(validity_.data(), 1, size_);
}

void ColumnBuilder::AppendNull() {
  NeedValidity();
  validity_.push_back(0);
  ++size_;
  const size_t width = FixedWidth(type_.kind);
  if (width > 0) {
    fixed_.resize(fixed_.size() + width);
    std::memset(fixed_.data() + fixed_.size() - width, 0, width);
  }
  if (!offsets_.empty()) offsets_.push_back(offsets_.back());
}

void ColumnBuilder::AppendString(StringView value) {
  WEIR_DCHECK(type_.kind == TypeKind::kString);
  const size_t at = fixed_.size();
  WEIR_CHECK(at + value.size() <= UINT32_MAX);
  char* to = Extend(&fixed_, value.size());
  if (!value.empty()) std::memcpy(to, value.data(), value.size());
  offsets_.push_back(static_cast<uint32_t>(fixed_.size()));
  AppendValid();
}

void ColumnBuilder::AppendArray() {
  offsets_.push_back(static_cast<uint32_t>(child_->size()));
  AppendValid();
}

void ColumnBuilder::AppendFrom(const Column& column, size_t row) {
  const uint32_t index = static_cast<uint32_t>(row);
  Gather(column, absl::MakeConstSpan(&index, 1));
}

void ColumnBuilder::AppendRange(const Column& column, size_t begin, size_t end) {
  PodVector<uint32_t> rows(end - begin);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint32_t>(begin + i);
  Gather(column, rows);
}

namespace {

template <class T>
void GatherValues(const void* from, absl::Span<const uint32_t> rows, void* to) {
  const T* source = static_cast<const T*>(from);
  T* target = static_cast<T*>(to);
  for (const uint32_t row : rows) *target++ = source[row];
}

// 16-byte values may lie unaligned in a received block.
void GatherDecimals(const void* from, absl::Span<const uint32_t> rows, char* to) {
  const char* source = static_cast<const char*>(from);
  for (const uint32_t row : rows) {
    std::memcpy(to, source + row * sizeof(Int128), sizeof(Int128));
    to += sizeof(Int128);
  }
}

}  // namespace

void ColumnBuilder::GatherFixed(const Column& column, absl::Span<const uint32_t> rows) {
  const size_t width = FixedWidth(type_.kind);
  const size_t at = fixed_.size();
  fixed_.resize(at + rows.size() * width);
  char* to = fixed_.data() + at;
  switch (width) {
    case 1:
      return GatherValues<uint8_t>(column.Values<uint8_t>(), rows, to);
    case 4:
      return GatherValues<int32_t>(column.Values<int32_t>(), rows, to);
    case 8:
      return GatherValues<int64_t>(column.Values<int64_t>(), rows, to);
    default:
      return GatherDecimals(column.Values<Int128>(), rows, to);
  }
}

void ColumnBuilder::GatherStrings(const Column& column, absl::Span<const uint32_t> rows) {
  size_t bytes = 0;
  const uint32_t* from = column.offsets();
  for (const uint32_t row : rows) bytes += from[row + 1] - from[row];
  size_t at = fixed_.size();
  WEIR_CHECK(at + bytes <= UINT32_MAX);
  fixed_.resize(at + bytes);
  for (const uint32_t row : rows) {
    const StringView value = column.String(row);
    if (!value.empty()) std::memcpy(fixed_.data() + at, value.data(), value.size());
    at += value.size();
    offsets_.push_back(static_cast<uint32_t>(at));
  }
}

void ColumnBuilder::Gather(const Column& column, absl::Span<const uint32_t> rows) {
  WEIR_DCHECK(column.type() == type_);
  if (rows.empty()) return;
  if (type_.kind == TypeKind::kString) {
    GatherStrings(column, rows);
  } else if (type_.kind == TypeKind::kArray) {
    for (const uint32_t row : rows) {
      child_->AppendRange(column.child(), column.offsets()[row], column.offsets()[row + 1]);
      offsets_.push_back(static_cast<uint32_t>(child_->size()));
    }
  } else {
    GatherFixed(column, rows);
  }
  if (column.HasValidity()) {
    NeedValidity();
    for (const uint32_t row : rows) validity_.push_back(column.validity()[row]);
  } else if (!validity_.empty()) {
    validity_.resize(size_ + rows.size(), 1);
  }
  size_ += rows.size();
}

ColumnPtr ColumnBuilder::Finish() {
  const size_t size = std::exchange(size_, 0);
  Buffer validity = validity_.empty() ? Buffer() : Buffer::Of(std::exchange(validity_, {}));
  Buffer values = Buffer::Of(std::exchange(fixed_, {}));
  if (offsets_.empty()) return Column::Fixed(type_, size, std::move(values), std::move(validity));
  Buffer offsets = Buffer::Of(std::exchange(offsets_, {0}));
  if (type_.kind == TypeKind::kString) {
    return Column::Strings(size, std::move(offsets), std::move(values), std::move(validity));
  }
  return Column::Arrays(size, std::move(offsets), child_->Finish(), std::move(validity));
}

ColumnPtr GatherColumn(const Column& column, absl::Span<const uint32_t> rows) {
  ColumnBuilder builder(column.type());
  builder.Reserve(rows.size());
  builder.Gather(column, rows);
  return builder.Finish();
}

}  // namespace weir::types
