// UTF-8: is a text valid, and where do its code points begin.
#pragma once

#include <cstddef>
#include <vector>

#include "common/base/string_view.h"

namespace weir::config {

// Offset of the first byte that starts no valid code point; npos if all is valid. Overlong forms,
// surrogates and values above U+10FFFF are invalid.
size_t FindInvalidUtf8(StringView text);

// Offset of the first control character that YAML text must not have (all but tab and line breaks);
// npos if there is none.
size_t FindControlCharacter(StringView text);

// The code points one by one; an invalid byte stands alone.
std::vector<StringView> SplitCodePoints(StringView text);

}  // namespace weir::config
