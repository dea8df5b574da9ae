// UTF-8: whether bytes are text. Every string in a batch is.
#pragma once

#include "common/base/string_view.h"

namespace weir::types {

// The length of the longest prefix of `bytes` that is valid UTF-8 (RFC 3629: shortest forms only,
// no surrogates, at most U+10FFFF); bytes.size() if all of it is.
size_t ValidUtf8Prefix(StringView bytes);

inline bool IsValidUtf8(StringView bytes) {
  return ValidUtf8Prefix(bytes) == bytes.size();
}

}  // namespace weir::types
