// DataType: the type of a column or expression.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <absl/types/optional.h>

#include "common/base/string_view.h"
#include "common/types/decimal.h"

namespace weir::types {

// How values lie in memory is given behind each kind.
enum class TypeKind : uint8_t {
  kNull = 0,       // the type of a bare NULL; no column has it
  kBool = 1,       // uint8_t, 0 or 1
  kInt32 = 2,      // int32_t
  kInt64 = 3,      // int64_t
  kDouble = 4,     // double
  kString = 5,     // uint32_t offsets and UTF-8 bytes
  kTimestamp = 6,  // int64_t, microseconds since 1970-01-01 UTC
  kDate = 7,       // int32_t, days since 1970-01-01
  kDecimal = 8,    // Int128 at the type's scale
  kArray = 9,      // uint32_t offsets and a child column; exists in expressions only
};

struct DataType {
  TypeKind kind = TypeKind::kNull;
  uint8_t precision = 0;  // of a decimal, or of an array's decimal elements
  uint8_t scale = 0;
  TypeKind element = TypeKind::kNull;  // of an array

  auto operator<=>(const DataType&) const = default;

  bool IsInteger() const { return kind == TypeKind::kInt32 || kind == TypeKind::kInt64; }
  bool IsNumeric() const {
    return IsInteger() || kind == TypeKind::kDouble || kind == TypeKind::kDecimal;
  }
  bool IsArray() const { return kind == TypeKind::kArray; }
  // REQUIRES: IsArray().
  DataType ElementType() const { return {element, precision, scale, TypeKind::kNull}; }

  // As written in a descriptor: "int64", "decimal(12,2)", "array<string>".
  std::string ToString() const;
};

inline constexpr DataType kNullType{};
inline constexpr DataType kBoolType{.kind = TypeKind::kBool};
inline constexpr DataType kInt32Type{.kind = TypeKind::kInt32};
inline constexpr DataType kInt64Type{.kind = TypeKind::kInt64};
inline constexpr DataType kDoubleType{.kind = TypeKind::kDouble};
inline constexpr DataType kStringType{.kind = TypeKind::kString};
inline constexpr DataType kTimestampType{.kind = TypeKind::kTimestamp};
inline constexpr DataType kDateType{.kind = TypeKind::kDate};
constexpr DataType DecimalType(int precision, int scale) {
  return {TypeKind::kDecimal, static_cast<uint8_t>(precision), static_cast<uint8_t>(scale),
          TypeKind::kNull};
}
constexpr DataType ArrayType(const DataType& element) {
  return {TypeKind::kArray, element.precision, element.scale, element.kind};
}

// Bytes of one value in a column's values buffer; 0 for kNull, kString and kArray.
size_t FixedWidth(TypeKind kind);

// Parses a column type as written in a descriptor (with PostgreSQL's names as aliases, without
// "not null"). nullopt: not a type that columns may have. Case-insensitive.
absl::optional<DataType> ParseDataType(StringView text);

}  // namespace weir::types
