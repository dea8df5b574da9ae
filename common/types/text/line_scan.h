// Line scan: where lines end.
#pragma once

#include <cstddef>
#include <cstring>

#include "common/base/string_view.h"

namespace weir::types {

// The offset of the line feed that ends the line at `from`, or npos if there is none.
inline size_t FindLineFeed(StringView bytes, size_t from) {
  const void* found = std::memchr(bytes.data() + from, '\n', bytes.size() - from);
  if (found == nullptr) return StringView::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - bytes.data());
}

// The line without a carriage return at its end.
inline StringView WithoutCarriageReturn(StringView line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace weir::types
