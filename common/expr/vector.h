// Vector: the values of one (sub)expression for the rows being evaluated. Arena: their memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/span.h>

#include "common/base/string_view.h"
#include "common/types/column.h"
#include "common/types/data_type.h"

namespace weir::expr {

// Memory that lives as long as one evaluation.
// Thread: confined to one thread.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised, aligned to 16 bytes.
  void* Allocate(size_t bytes);
  template <class T>
  T* NewArray(size_t count) {
    static_assert(alignof(T) <= 16 && std::is_trivially_destructible_v<T>);
    return static_cast<T*>(Allocate(count * sizeof(T)));
  }
  // Allocated so far.
  size_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
};

// An array of strings. An element without data is NULL.
struct ArrayValue {
  const StringView* items = nullptr;
  size_t size = 0;
};

// Values lie as in a column, but strings are views (into the batch or the arena) and arrays are
// ArrayValues. A null row has an initialised value.
struct Vector {
  types::DataType type;
  bool is_constant = false;  // one value stands for every row
  const void* values = nullptr;
  const uint8_t* validity = nullptr;  // a byte a row, 1 = not null; null: no row is null
  uint8_t* own_validity = nullptr;    // the same bytes where this vector alone uses them

  template <class T>
  const T* As() const {
    return static_cast<const T*>(values);
  }
  template <class T>
  const T& At(size_t row) const {
    return As<T>()[is_constant ? 0 : row];
  }
  bool IsNull(size_t row) const {
    return validity != nullptr && validity[is_constant ? 0 : row] == 0;
  }
};

// Bytes of one value in a Vector.
size_t VectorWidth(types::TypeKind kind);

// `rows` of a column; without copying, where they follow each other and values need no rewriting.
// REQUIRES: the type is no array, or one of strings.
Vector LoadColumn(const types::Column& column, absl::Span<const uint32_t> rows, Arena* arena);

// One constant: row 0 of `column`.
Vector LoadConstant(const types::Column& column, Arena* arena);

// RESOURCE_EXHAUSTED: the strings exceed 4 GiB.
absl::StatusOr<types::ColumnPtr> ToColumn(const Vector& vector, size_t size);

}  // namespace weir::expr
