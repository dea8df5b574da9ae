// Column: the values of one field for the rows of a batch. ColumnBuilder makes one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/types/span.h>

#include "common/base/check.h"
#include "common/base/string_view.h"
#include "common/types/buffer.h"
#include "common/types/data_type.h"
#include "common/types/growing_array.h"

namespace weir::types {

class Column;
// Shared because columns pass unchanged from batch to batch.
using ColumnPtr = std::shared_ptr<const Column>;

// Immutable. A null row has an unspecified but initialised value.
class Column {
 public:
  // `validity`: one byte a row, 1 = not null; empty = no row is null.
  // REQUIRES: the buffers fit `size` rows of `type`; `values` is aligned for its values.
  static ColumnPtr Fixed(DataType type, size_t size, Buffer values, Buffer validity);
  // `offsets`: size + 1 ascending uint32_t into `bytes`.
  static ColumnPtr Strings(size_t size, Buffer offsets, Buffer bytes, Buffer validity);
  // `offsets`: size + 1 ascending uint32_t into the rows of `child`.
  static ColumnPtr Arrays(size_t size, Buffer offsets, ColumnPtr child, Buffer validity);

  const DataType& type() const { return type_; }
  size_t size() const { return size_; }

  bool HasValidity() const { return !validity_.empty(); }
  // Null if HasValidity() is false.
  const uint8_t* validity() const { return validity_.As<uint8_t>(); }
  bool IsNull(size_t row) const { return HasValidity() && validity()[row] == 0; }

  // REQUIRES: T is the kind's value type (see TypeKind).
  template <class T>
  const T* Values() const {
    WEIR_DCHECK(FixedWidth(type_.kind) == sizeof(T));
    return values_.As<T>();
  }
  // REQUIRES: a string column.
  StringView String(size_t row) const {
    const uint32_t* offset = offsets_.As<uint32_t>() + row;
    return StringView(values_.As<char>() + offset[0], offset[1] - offset[0]);
  }
  // REQUIRES: a string or array column.
  const uint32_t* offsets() const { return offsets_.As<uint32_t>(); }
  // REQUIRES: a string column. All strings' bytes.
  const char* string_bytes() const { return values_.As<char>(); }
  // REQUIRES: an array column.
  const Column& child() const { return *child_; }

  // Rough memory of the rows, for limits and statistics.
  size_t ByteSize() const;

  Column(DataType type, size_t size) : type_(type), size_(size) {}

 private:
  DataType type_;
  size_t size_;
  Buffer values_;
  Buffer validity_;
  Buffer offsets_;
  ColumnPtr child_;
};

// Appends rows, then makes a Column. Reusable after Finish().
// Thread: confined to one thread.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(DataType type);

  const DataType& type() const { return type_; }
  size_t size() const { return size_; }
  // Makes room for `rows` in all, and for as many bytes of strings as the last column had.
  void Reserve(size_t rows);

  void AppendNull();
  // REQUIRES: T is the kind's value type.
  template <class T>
  void Append(T value) {
    WEIR_DCHECK(FixedWidth(type_.kind) == sizeof(T));
    __builtin_memcpy(fixed_.Extend(sizeof(T)), &value, sizeof(T));
    AppendValid();
  }
  // REQUIRES: a string column whose bytes stay below 4 GiB.
  void AppendString(StringView value) {
    WEIR_DCHECK(type_.kind == TypeKind::kString);
    WEIR_CHECK(fixed_.size() + value.size() <= UINT32_MAX);
    char* to = fixed_.Extend(value.size());
    if (!value.empty()) __builtin_memcpy(to, value.data(), value.size());
    offsets_.Append(static_cast<uint32_t>(fixed_.size()));
    AppendValid();
  }
  // Ends one array whose elements were appended to child(). REQUIRES: an array column.
  void AppendArray();
  ColumnBuilder& child() { return *child_; }

  // Appends one row, or rows `rows[...]`, of a column of the same type.
  void AppendFrom(const Column& column, size_t row);
  void Gather(const Column& column, absl::Span<const uint32_t> rows);
  void AppendRange(const Column& column, size_t begin, size_t end);

  size_t ByteSize() const { return fixed_.size() + offsets_.size() * sizeof(uint32_t); }
  ColumnPtr Finish();

 private:
  void AppendValid() {
    if (!validity_.empty()) validity_.Append(1);
    ++size_;
  }
  // Starts the validity bytes at the first null.
  void NeedValidity();
  void GatherFixed(const Column& column, absl::Span<const uint32_t> rows);
  void GatherStrings(const Column& column, absl::Span<const uint32_t> rows);

  DataType type_;
  size_t size_ = 0;
  size_t last_string_bytes_ = 0;  // of the column before
  GrowingArray<char> fixed_;      // fixed-width values or string bytes
  GrowingArray<uint8_t> validity_;
  GrowingArray<uint32_t> offsets_;
  std::unique_ptr<ColumnBuilder> child_;
};

// Rows `rows[...]` of `column` as a new column.
ColumnPtr GatherColumn(const Column& column, absl::Span<const uint32_t> rows);

}  // namespace weir::types
