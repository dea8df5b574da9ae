// JSON escapes: what a string with backslashes stands for.
#pragma once

#include <string>

#include "common/base/string_view.h"

namespace weir::types {

// Appends what `escaped`, a JSON string without its quotes, stands for; never more bytes than it
// has. False: an unknown or cut escape, or half of a surrogate pair, which no UTF-8 text can hold.
// `out` may then have got some of it.
bool AppendUnescaped(StringView escaped, std::string* out);

}  // namespace weir::types
