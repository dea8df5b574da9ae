// StringView: the one string view of Weir's signatures.
// Debian's Abseil has its own string_view type that does not convert from or to std::string_view,
// so every signature uses this alias (docs/adr/0003).
#pragma once

#include <absl/strings/string_view.h>

namespace weir {
using StringView = absl::string_view;
}  // namespace weir
