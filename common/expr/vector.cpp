#include "common/expr/vector.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::expr {
namespace {

using types::Buffer;
using types::Column;
using types::ColumnPtr;
using types::Int128;
using types::PodVector;
using types::TypeKind;

constexpr size_t kArenaBlockBytes = 64u << 10;
static_assert(sizeof(StringView) == 16 && sizeof(ArrayValue) == 16 && sizeof(Int128) == 16);

template <class T>
const void* GatherValues(const Column& column, absl::Span<const uint32_t> rows, Arena* arena) {
  const T* from = column.Values<T>();
  T* to = arena->NewArray<T>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  return to;
}

// 16-byte values of a received block may lie unaligned.
const void* GatherDecimals(const Column& column, absl::Span<const uint32_t> rows, Arena* arena) {
  const char* from = reinterpret_cast<const char*>(column.Values<Int128>());
  Int128* to = arena->NewArray<Int128>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + i, from + rows[i] * sizeof(Int128), sizeof(Int128));
  }
  return to;
}

const void* LoadStrings(const Column& column, absl::Span<const uint32_t> rows, Arena* arena) {
  StringView* to = arena->NewArray<StringView>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const StringView value = column.String(rows[i]);
    // A value without bytes is not NULL, so it has data.
    to[i] = value.data() == nullptr ? StringView("", 0) : value;
  }
  return to;
}

const void* LoadArrays(const Column& column, absl::Span<const uint32_t> rows, Arena* arena) {
  WEIR_CHECK(column.type().element == TypeKind::kString);
  const Column& child = column.child();
  ArrayValue* to = arena->NewArray<ArrayValue>(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t begin = column.offsets()[rows[i]];
    const size_t size = column.offsets()[rows[i] + 1] - begin;
    StringView* items = arena->NewArray<StringView>(size);
    for (size_t k = 0; k < size; ++k) {
      const StringView item = child.String(begin + k);
      if (child.IsNull(begin + k)) {
        items[k] = StringView();
      } else {
        items[k] = item.data() == nullptr ? StringView("", 0) : item;
      }
    }
    to[i] = {items, size};
  }
  return to;
}

const void* LoadValues(const Column& column, absl::Span<const uint32_t> rows, bool contiguous,
                       Arena* arena) {
  const TypeKind kind = column.type().kind;
  if (kind == TypeKind::kString) return LoadStrings(column, rows, arena);
  if (kind == TypeKind::kArray) return LoadArrays(column, rows, arena);
  switch (types::FixedWidth(kind)) {
    case 1:
      return contiguous ? column.Values<uint8_t>() + rows[0]
                        : GatherValues<uint8_t>(column, rows, arena);
    case 4:
      return contiguous ? column.Values<int32_t>() + rows[0]
                        : GatherValues<int32_t>(column, rows, arena);
    case 8:
      return contiguous ? column.Values<int64_t>() + rows[0]
                        : GatherValues<int64_t>(column, rows, arena);
    default:
      return GatherDecimals(column, rows, arena);
  }
}

Buffer CopyValidity(const Vector& vector, size_t size) {
  if (vector.validity == nullptr) return Buffer();
  PodVector<uint8_t> bytes(size);
  bool any_null = false;
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = vector.IsNull(i) ? 0 : 1;
    any_null |= bytes[i] == 0;
  }
  return any_null ? Buffer::Of(std::move(bytes)) : Buffer();
}

template <class T>
Buffer CopyValues(const Vector& vector, size_t size) {
  PodVector<T> values(size);
  if (vector.is_constant) {
    std::fill(values.begin(), values.end(), *vector.As<T>());
  } else if (size > 0) {
    std::memcpy(values.data(), vector.values, size * sizeof(T));
  }
  return Buffer::Of(std::move(values));
}

// Adds `value` behind `bytes`, and where it ends to `offsets`.
struct StringAppender {
  PodVector<char> bytes;
  PodVector<uint32_t> offsets;

  void Append(StringView value) {
    bytes.insert(bytes.end(), value.begin(), value.end());
    offsets.push_back(static_cast<uint32_t>(bytes.size()));
  }
};

absl::Status CheckStringBytes(uint64_t bytes) {
  if (bytes <= UINT32_MAX) return absl::OkStatus();
  return absl::ResourceExhaustedError("the strings of one expression and batch exceed 4 GiB");
}

absl::StatusOr<ColumnPtr> ToStrings(const Vector& vector, size_t size) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < size; ++i) {
    if (!vector.IsNull(i)) bytes += vector.At<StringView>(i).size();
  }
  WEIR_RETURN_IF_ERROR(CheckStringBytes(bytes));
  StringAppender out;
  out.bytes.reserve(bytes);
  out.offsets.reserve(size + 1);
  out.offsets.push_back(0);
  for (size_t i = 0; i < size; ++i) {
    out.Append(vector.IsNull(i) ? StringView() : vector.At<StringView>(i));
  }
  return Column::Strings(size, Buffer::Of(std::move(out.offsets)), Buffer::Of(std::move(out.bytes)),
                         CopyValidity(vector, size));
}

absl::StatusOr<ColumnPtr> ToArrays(const Vector& vector, size_t size) {
  uint64_t bytes = 0;
  uint64_t items = 0;
  for (size_t i = 0; i < size; ++i) {
    if (vector.IsNull(i)) continue;
    const ArrayValue& value = vector.At<ArrayValue>(i);
    items += value.size;
    for (size_t k = 0; k < value.size; ++k) bytes += value.items[k].size();
  }
  WEIR_RETURN_IF_ERROR(CheckStringBytes(std::max(bytes, items)));
  types::ColumnBuilder builder(vector.type);
  for (size_t i = 0; i < size; ++i) {
    if (vector.IsNull(i)) {
      builder.AppendNull();
      continue;
    }
    const ArrayValue& value = vector.At<ArrayValue>(i);
    for (size_t k = 0; k < value.size; ++k) {
      if (value.items[k].data() == nullptr) {
        builder.child().AppendNull();
      } else {
        builder.child().AppendString(value.items[k]);
      }
    }
    builder.AppendArray();
  }
  return builder.Finish();
}

}  // namespace

void* Arena::Allocate(size_t bytes) {
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > left_) {
    const size_t block = std::max(bytes, kArenaBlockBytes);
    blocks_.push_back(std::unique_ptr<char[]>(new char[block]));
    next_ = blocks_.back().get();
    left_ = block;
  }
  void* result = next_;
  next_ += bytes;
  left_ -= bytes;
  bytes_ += bytes;
  return result;
}

size_t VectorWidth(TypeKind kind) {
  const size_t width = types::FixedWidth(kind);
  return width == 0 ? sizeof(StringView) : width;
}

Vector LoadColumn(const Column& column, absl::Span<const uint32_t> rows, Arena* arena) {
  Vector vector{.type = column.type()};
  if (rows.empty()) return vector;
  const bool contiguous = rows.back() - rows.front() + 1 == rows.size();
  vector.values = LoadValues(column, rows, contiguous, arena);
  if (!column.HasValidity()) return vector;
  if (contiguous) {
    vector.validity = column.validity() + rows.front();
  } else {
    uint8_t* validity = arena->NewArray<uint8_t>(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) validity[i] = column.validity()[rows[i]];
    vector.validity = validity;
  }
  return vector;
}

Vector LoadConstant(const Column& column, Arena* arena) {
  const uint32_t row = 0;
  Vector vector = LoadColumn(column, absl::MakeConstSpan(&row, 1), arena);
  vector.is_constant = true;
  return vector;
}

absl::StatusOr<ColumnPtr> ToColumn(const Vector& vector, size_t size) {
  switch (vector.type.kind) {
    case TypeKind::kString:
      return ToStrings(vector, size);
    case TypeKind::kArray:
      return ToArrays(vector, size);
    default:
      break;
  }
  Buffer values;
  switch (types::FixedWidth(vector.type.kind)) {
    case 1:
      values = CopyValues<uint8_t>(vector, size);
      break;
    case 4:
      values = CopyValues<int32_t>(vector, size);
      break;
    case 8:
      values = CopyValues<int64_t>(vector, size);
      break;
    default:
      values = CopyValues<Int128>(vector, size);
  }
  return Column::Fixed(vector.type, size, std::move(values), CopyValidity(vector, size));
}

}  // namespace weir::expr
