// TextRange: a piece of an expression's text.
#pragma once

#include <cstdint>

namespace weir::expr {

// Bytes from the start of the expression's own text.
struct TextRange {
  uint32_t offset = 0;
  uint32_t length = 0;

  bool operator==(const TextRange&) const = default;
};

}  // namespace weir::expr
