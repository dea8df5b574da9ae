// Ordered values: one column value as bytes that compare as the values do. They are part of keys
// in checkpoints (docs/formats/keyed_state.md), so they never change.
// Numbers: big-endian with the sign bit flipped; doubles with NaN above all and one zero. Strings:
// their bytes; the length comes last, so that the value can be cut off the end of a longer key.
#pragma once

#include <cstdint>

#include "common/base/string_view.h"
#include "common/types/column.h"

namespace weir::operators {

// Room for the widest fixed-width value.
struct FixedValue {
  alignas(16) char bytes[16];
};

// Appends the value of a row. REQUIRES: it is not NULL; not an array.
void AppendOrderedValue(const types::Column& column, size_t row, types::PodVector<char>* out);

// Bytes of `key` before the ordered value of `type` at its end.
// REQUIRES: `key` ends with one.
size_t PrefixBeforeValue(StringView key, const types::DataType& type);
// The part of an ordered value that decides its order: all of it, but for a string its length.
StringView OrderingPart(StringView value, const types::DataType& type);

// The value as it lies in a column. REQUIRES: OrderingPart() of a fixed-width type.
FixedValue DecodeOrderedValue(StringView value, const types::DataType& type);

}  // namespace weir::operators
