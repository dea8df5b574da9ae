#include "common/types/column.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weir::types {

// Most bytes of strings to reserve because the last column had them.
static constexpr size_t kStringReserveMax = 256u << 10;

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
  if (type.kind == TypeKind::kString || type.kind == TypeKind::kArray) offsets_.Append(0);
  if (type.kind == TypeKind::kArray) child_ = std::make_unique<ColumnBuilder>(type.ElementType());
}

void ColumnBuilder::Reserve(size_t rows) {
  fixed_.Reserve(rows * FixedWidth(type_.kind) + last_string_bytes_);
  if (!offsets_.empty()) offsets_.Reserve(rows + 1);
}

void ColumnBuilder::NeedValidity() {
  if (!validity_.empty() || size_ == 0) return;
  validity_.Append(1, size_);
}

void ColumnBuilder::AppendNull() {
  NeedValidity();
  validity_.Append(0);
  ++size_;
  fixed_.Append(0, FixedWidth(type_.kind));
  if (!offsets_.empty()) offsets_.Append(offsets_.back());
}

void ColumnBuilder::AppendArray() {
  offsets_.Append(static_cast<uint32_t>(child_->size()));
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
  char* to = fixed_.Extend(rows.size() * width);
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
  char* to = fixed_.Extend(bytes);
  uint32_t* offset = offsets_.Extend(rows.size());
  for (const uint32_t row : rows) {
    const StringView value = column.String(row);
    if (!value.empty()) std::memcpy(to, value.data(), value.size());
    to += value.size();
    at += value.size();
    *offset++ = static_cast<uint32_t>(at);
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
      offsets_.Append(static_cast<uint32_t>(child_->size()));
    }
  } else {
    GatherFixed(column, rows);
  }
  if (column.HasValidity()) {
    NeedValidity();
    uint8_t* valid = validity_.Extend(rows.size());
    for (const uint32_t row : rows) *valid++ = column.validity()[row];
  } else if (!validity_.empty()) {
    validity_.Append(1, rows.size());
  }
  size_ += rows.size();
}

ColumnPtr ColumnBuilder::Finish() {
  const size_t size = std::exchange(size_, 0);
  Buffer validity = validity_.Finish();
  Buffer values = fixed_.Finish();
  if (offsets_.empty()) return Column::Fixed(type_, size, std::move(values), std::move(validity));
  Buffer offsets = offsets_.Finish();
  offsets_.Append(0);
  if (type_.kind == TypeKind::kString) {
    last_string_bytes_ = std::min(values.size(), kStringReserveMax);
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
