// Tokens of an expression's text: where they end. The grammar only tells where they begin.
#pragma once

#include <cstddef>

#include "common/base/string_view.h"
#include "common/expr/text_range.h"

namespace weir::expr {

// The token that begins at `offset`: a word, a quoted word or text, a number or an operator; a
// dotted name counts as one. At least one byte long, unless the text ends there.
TextRange TokenAt(StringView text, size_t offset);

// Offset of what follows the blanks and comments at `at`.
size_t SkipBlanks(StringView text, size_t at);

}  // namespace weir::expr
