#include "common/expr/tokens.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

namespace weir::expr {
namespace {

bool IsWordByte(char c) {
  const unsigned char byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '_' || c == '$' || byte >= 0x80;
}

bool IsOperatorByte(char c) {
  return StringView("+-*/<>=~!@#%^&|`?:").find(c) != StringView::npos;
}

// End of a text quoted by the byte at `at`, which doubles inside.
size_t QuotedEnd(StringView text, size_t at) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] != quote) continue;
    if (i + 1 >= text.size() || text[i + 1] != quote) return i + 1;
    ++i;
  }
  return text.size();
}

size_t WordEnd(StringView text, size_t at) {
  if (text[at] == '"') return QuotedEnd(text, at);
  while (at < text.size() && IsWordByte(text[at])) ++at;
  return at;
}

bool StartsWord(StringView text, size_t at) {
  return at < text.size() && (text[at] == '"' || (IsWordByte(text[at]) && text[at] != '$'));
}

size_t NumberEnd(StringView text, size_t at) {
  while (at < text.size()) {
    const bool is_exponent = (text[at] == 'e' || text[at] == 'E') && at + 1 < text.size();
    if (is_exponent && (text[at + 1] == '-' || text[at + 1] == '+')) {
      at += 2;
    } else if (absl::ascii_isalnum(static_cast<unsigned char>(text[at])) || text[at] == '.') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

size_t TokenEnd(StringView text, size_t at) {
  const char c = text[at];
  if (absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.') return NumberEnd(text, at);
  if (c == '\'') return QuotedEnd(text, at);
  if (StartsWord(text, at)) {
    size_t end = WordEnd(text, at);
    while (end < text.size() && text[end] == '.' && StartsWord(text, end + 1)) {
      end = WordEnd(text, end + 1);
    }
    return end;
  }
  if (!IsOperatorByte(c)) return at + 1;
  // A sign belongs to its number.
  const bool is_sign = (c == '-' || c == '+') && at + 1 < text.size();
  if (is_sign && absl::ascii_isdigit(static_cast<unsigned char>(text[at + 1]))) {
    return NumberEnd(text, at + 1);
  }
  while (at < text.size() && IsOperatorByte(text[at])) ++at;
  return at;
}

// End of the comment at `at`; comments nest.
size_t CommentEnd(StringView text, size_t at) {
  int nesting = 0;
  do {
    const StringView pair = text.substr(at, 2);
    if (pair == "/*") ++nesting;
    if (pair == "*/") --nesting;
    at += pair == "/*" || pair == "*/" ? 2 : 1;
  } while (nesting > 0 && at < text.size());
  return std::min(at, text.size());
}

}  // namespace

size_t SkipBlanks(StringView text, size_t at) {
  while (at < text.size()) {
    if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (absl::StartsWith(text.substr(at), "--")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (absl::StartsWith(text.substr(at), "/*")) {
      at = CommentEnd(text, at);
    } else {
      break;
    }
  }
  return at;
}

TextRange TokenAt(StringView text, size_t offset) {
  offset = std::min(offset, text.size());
  const size_t end = offset == text.size() ? offset : TokenEnd(text, offset);
  return {static_cast<uint32_t>(offset),
          static_cast<uint32_t>(std::max(end, std::min(offset + 1, text.size())) - offset)};
}

}  // namespace weir::expr
