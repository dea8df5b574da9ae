// JSON numbers as text, for values that are read exactly.
#pragma once

#include "common/base/string_view.h"

namespace weir::types {

// Whether `text` is a number as RFC 8259 writes it: no leading zero or plus, digits on both sides
// of the point.
bool IsJsonNumber(StringView text);

}  // namespace weir::types
