// Value text: how single values read and write as text in csv and in descriptors' defaults.
#pragma once

#include <string>

#include "common/base/string_view.h"
#include "common/types/column.h"
#include "common/types/row_slots.h"

namespace weir::types {

// The value of `type` that `text` writes, into the slot's field of that type; false: none. Blanks
// around anything but a string are ignored; integers and decimals must fit, nothing wraps.
bool ParseValueText(StringView text, const DataType& type, Slot* slot);

// What is expected where a value of `type` stands, for messages: "an int64", "a date (YYYY-MM-DD)".
std::string DescribeType(const DataType& type);

// Appends the shortest text that reads back as the same double: "0.1", "1e+22", "NaN", "Infinity".
void AppendDouble(double value, std::string* out);
void AppendInteger(int64_t value, std::string* out);

// Appends one value that is neither null nor a string nor an array, as ParseValueText() reads it.
void AppendValueText(const Column& column, size_t row, std::string* out);

}  // namespace weir::types
