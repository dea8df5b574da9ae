// Strings of expressions: code points, copies in an arena, excerpts for messages.
// Bytes that are no UTF-8 count as a character each; nothing reads past the end of a string.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/string_view.h"
#include "common/expr/vector.h"

namespace weir::expr {

// Bytes of the character that begins at `at`. REQUIRES: at < text.size().
size_t CharacterBytes(StringView text, size_t at);

// Characters (code points) of a text.
size_t CharacterCount(StringView text);

// Bytes of the first `count` characters; all bytes if there are fewer.
size_t BytesOfCharacters(StringView text, size_t count);

// A text with nothing but ASCII, where characters are bytes.
bool IsAscii(StringView text);

// Never without data, which would mean NULL in an array.
StringView CopyString(StringView text, Arena* arena);

// The start of a text, cut at a character, as messages show it.
std::string Excerpt(StringView text);

}  // namespace weir::expr
