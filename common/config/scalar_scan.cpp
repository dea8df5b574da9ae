#include "common/config/scalar_scan.h"

#include <algorithm>
#include <string>

#include <absl/strings/str_cat.h>

namespace weir::config {

namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}
bool IsBreak(char c) {
  return c == '\n' || c == '\r';
}

// Past the line break at `at`; `at` itself if there is none.
size_t SkipBreak(StringView text, size_t at) {
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') return at + 1;
  return at;
}

size_t SkipBlanks(StringView text, size_t at) {
  while (at < text.size() && IsBlank(text[at])) ++at;
  return at;
}

size_t LineEnd(StringView text, size_t at) {
  while (at < text.size() && !IsBreak(text[at])) ++at;
  return at;
}

// The text of a scalar while it is decoded again, with the offset of each byte.
struct Decoded {
  std::string text;
  std::vector<size_t> offsets;

  void Append(char c, size_t offset) {
    text += c;
    offsets.push_back(offset);
  }
};

// Line folding: one break becomes a space, n breaks become n - 1 line breaks. `at` is on the first
// break; returns the first byte of the next line that has content.
size_t AppendFold(StringView text, size_t at, size_t end, Decoded* decoded) {
  const size_t first = at;
  size_t breaks = 0;
  while (at < end && IsBreak(text[at])) {
    at = SkipBlanks(text, SkipBreak(text, at));
    ++breaks;
  }
  if (breaks == 1) decoded->Append(' ', first);
  for (size_t i = 1; i < breaks; ++i) decoded->Append('\n', first);
  return at;
}

// Whether only blanks are left in the line of `at`, which is before `end`.
bool IsAtLineEnd(StringView text, size_t at, size_t end) {
  const size_t next = SkipBlanks(text, at);
  return next < end && IsBreak(text[next]);
}

// Decodes plain text until it is as long as `size`; returns where it ends.
size_t DecodePlain(StringView text, size_t begin, size_t size, Decoded* decoded) {
  size_t at = begin;
  while (decoded->text.size() < size && at < text.size()) {
    if (IsAtLineEnd(text, at, text.size())) {
      at = AppendFold(text, SkipBlanks(text, at), text.size(), decoded);
    } else {
      decoded->Append(text[at], at);
      ++at;
    }
  }
  return at;
}

void DecodeSingleQuoted(StringView text, const WrittenScalar& written, Decoded* decoded) {
  const size_t end = written.end - 1;
  size_t at = written.begin + 1;
  while (at < end) {
    if (IsAtLineEnd(text, at, end)) {
      at = AppendFold(text, SkipBlanks(text, at), end, decoded);
      continue;
    }
    decoded->Append(text[at], at);
    at += text[at] == '\'' ? 2 : 1;
  }
}

// Bytes of the UTF-8 form of a code point.
size_t Utf8Bytes(uint32_t point) {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

// The value of a hexadecimal escape; its text is checked by yaml-cpp.
uint32_t HexValue(StringView digits) {
  uint32_t value = 0;
  for (const char c : digits) {
    const char lower = static_cast<char>(c | 0x20);
    value = value * 16 + static_cast<uint32_t>(lower >= 'a' ? lower - 'a' + 10 : c - '0');
  }
  return value;
}

constexpr char kPlaceholder = '\x01';

// One escape that starts at the backslash `at`; returns what follows it. The bytes it stands for
// are placeholders: only their number is needed.
size_t DecodeEscape(StringView text, size_t at, size_t end, Decoded* decoded) {
  const char kind = text[at + 1];
  if (IsBreak(kind)) return SkipBlanks(text, SkipBreak(text, at + 1));
  const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  size_t bytes = 1;
  if (digits > 0) {
    const size_t available = std::min(digits, end - std::min(end, at + 2));
    bytes = Utf8Bytes(HexValue(text.substr(at + 2, available)));
  } else if (kind == 'N' || kind == '_') {
    bytes = 2;
  } else if (kind == 'L' || kind == 'P') {
    bytes = 3;
  }
  for (size_t i = 0; i < bytes; ++i) decoded->Append(kPlaceholder, at);
  return at + 2 + digits;
}

void DecodeDoubleQuoted(StringView text, const WrittenScalar& written, Decoded* decoded) {
  const size_t end = written.end - 1;
  size_t at = written.begin + 1;
  while (at < end) {
    if (IsAtLineEnd(text, at, end)) {
      at = AppendFold(text, SkipBlanks(text, at), end, decoded);
    } else if (text[at] == '\\' && at + 1 < end) {
      at = DecodeEscape(text, at, end, decoded);
    } else {
      decoded->Append(text[at], at);
      ++at;
    }
  }
}

void DecodeLiteral(StringView text, const WrittenScalar& written, Decoded* decoded) {
  size_t at = SkipBreak(text, LineEnd(text, written.begin));
  while (at < text.size()) {
    const size_t line_end = LineEnd(text, at);
    const size_t content = std::min(at + written.block_indent, line_end);
    const bool is_outside = SkipBlanks(text, at) < content && SkipBlanks(text, at) < line_end;
    if (is_outside) return;
    for (size_t i = content; i < line_end; ++i) decoded->Append(text[i], i);
    decoded->Append('\n', line_end);
    at = SkipBreak(text, line_end);
    if (at == line_end) return;
  }
}

// Line by line: what precedes the content of a line in `value` is folded white space.
std::vector<size_t> FoldedOffsets(StringView text, const WrittenScalar& written, StringView value) {
  std::vector<size_t> offsets;
  size_t line = SkipBreak(text, LineEnd(text, written.begin));
  while (line < written.end) {
    const size_t line_end = LineEnd(text, line);
    const StringView content =
        text.substr(std::min(line + written.block_indent, line_end),
                    line_end - std::min(line + written.block_indent, line_end));
    const bool is_blank = SkipBlanks(text, line) >= line_end;
    const size_t found = is_blank ? StringView::npos : value.find(content, offsets.size());
    if (found != StringView::npos) offsets.resize(found + content.size(), SkipBlanks(text, line));
    line = SkipBreak(text, line_end);
    if (line == line_end) break;
  }
  offsets.resize(value.size() + 1, offsets.empty() ? written.begin : offsets.back());
  return offsets;
}

bool Agrees(StringView decoded, StringView value) {
  if (decoded.size() < value.size()) return false;
  for (size_t i = 0; i < value.size(); ++i) {
    if (decoded[i] != value[i] && decoded[i] != kPlaceholder) return false;
  }
  return true;
}

size_t SkipComment(StringView text, size_t at) {
  return at < text.size() && text[at] == '#' ? LineEnd(text, at) : at;
}

size_t FindQuoteEnd(StringView text, size_t begin, bool* is_closed) {
  const char quote = text[begin];
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text[at] == quote) {
      const bool is_doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
      if (!is_doubled) return at + 1;
      ++at;
    }
  }
  *is_closed = false;
  return text.size();
}

// The header's indentation indicator; 0 without one.
uint32_t IndentIndicator(StringView text, size_t begin) {
  for (size_t at = begin + 1; at < text.size() && at < begin + 3; ++at) {
    if (text[at] >= '1' && text[at] <= '9') return static_cast<uint32_t>(text[at] - '0');
  }
  return 0;
}

// Fills in the indentation and the end of a block scalar.
void ScanBlock(StringView text, StringView value, uint32_t parent_indent, WrittenScalar* written) {
  const size_t header_end = LineEnd(text, written->begin);
  const uint32_t indicator = IndentIndicator(text, written->begin);
  const bool has_content = value.find_first_not_of('\n') != StringView::npos;
  written->block_indent = indicator > 0 ? parent_indent + indicator : 0;
  written->end = header_end;
  size_t line = SkipBreak(text, header_end);
  while (has_content && line < text.size()) {
    const size_t line_end = LineEnd(text, line);
    size_t content = line;
    while (content < line_end && text[content] == ' ') ++content;
    const auto indent = static_cast<uint32_t>(content - line);
    if (content < line_end) {
      if (written->block_indent == 0) written->block_indent = indent;
      if (indent < written->block_indent) return;
      written->end = line_end;
    } else if (written->block_indent > 0 && indent > written->block_indent) {
      // Spaces behind the indentation are text.
      written->end = line_end;
    }
    if (SkipBreak(text, line_end) == line_end) return;
    line = SkipBreak(text, line_end);
  }
}

}  // namespace

size_t SkipProperties(StringView text, size_t at) {
  while (at < text.size()) {
    const size_t before = at;
    if (text[at] == '&' || text[at] == '!') {
      while (at < text.size() && !IsBlank(text[at]) && !IsBreak(text[at])) ++at;
    }
    if (at == before && !IsBlank(text[at]) && !IsBreak(text[at]) && text[at] != '#') return at;
    at = SkipComment(text, SkipBlanks(text, at));
    while (at < text.size() && IsBreak(text[at])) {
      at = SkipComment(text, SkipBlanks(text, SkipBreak(text, at)));
    }
  }
  return at;
}

WrittenScalar ScanScalar(StringView text, size_t begin, StringView value, uint32_t parent_indent) {
  WrittenScalar written;
  written.begin = std::min(begin, text.size());
  written.end = written.begin;
  if (written.begin == text.size()) return written;
  switch (text[begin]) {
    case '"':
      written.style = ScalarStyle::kDoubleQuoted;
      written.end = FindQuoteEnd(text, begin, &written.is_closed);
      return written;
    case '\'':
      written.style = ScalarStyle::kSingleQuoted;
      written.end = FindQuoteEnd(text, begin, &written.is_closed);
      return written;
    case '|':
      written.style = ScalarStyle::kLiteral;
      ScanBlock(text, value, parent_indent, &written);
      return written;
    case '>':
      written.style = ScalarStyle::kFolded;
      ScanBlock(text, value, parent_indent, &written);
      return written;
    default:
      break;
  }
  if (text.substr(begin, value.size()) == value) {
    written.end = begin + value.size();
    return written;
  }
  Decoded decoded;
  written.end = DecodePlain(text, begin, value.size(), &decoded);
  return written;
}

std::vector<size_t> ScalarOffsets(StringView text, const WrittenScalar& written, StringView value) {
  Decoded decoded;
  size_t end = written.end;
  switch (written.style) {
    case ScalarStyle::kPlain:
      end = DecodePlain(text, written.begin, value.size(), &decoded);
      break;
    case ScalarStyle::kSingleQuoted:
      end = written.end - 1;
      DecodeSingleQuoted(text, written, &decoded);
      break;
    case ScalarStyle::kDoubleQuoted:
      end = written.end - 1;
      DecodeDoubleQuoted(text, written, &decoded);
      break;
    case ScalarStyle::kLiteral:
      DecodeLiteral(text, written, &decoded);
      break;
    case ScalarStyle::kFolded:
      return FoldedOffsets(text, written, value);
  }
  // A last line without line break still ends in one in the value.
  while (decoded.text.size() < value.size() && value[decoded.text.size()] == '\n') {
    decoded.Append('\n', end);
  }
  if (!Agrees(decoded.text, value)) return std::vector<size_t>(value.size() + 1, written.begin);
  decoded.offsets.resize(value.size());
  decoded.offsets.push_back(end);
  return decoded.offsets;
}

}  // namespace weir::config
