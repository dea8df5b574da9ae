#include "common/config/utf8.h"

#include <cstdint>

namespace weir::config {

namespace {

// Bytes of the valid code point that starts at `text[at]`; 0 if none does.
size_t CodePointBytes(StringView text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t count = 0;
  uint32_t value = 0;
  uint32_t smallest = 0;
  if ((first & 0xE0) == 0xC0) {
    count = 2, value = first & 0x1Fu, smallest = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    count = 3, value = first & 0x0Fu, smallest = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    count = 4, value = first & 0x07u, smallest = 0x10000;
  } else {
    return 0;
  }
  if (text.size() - at < count) return 0;
  for (size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < smallest || value > 0x10FFFF || is_surrogate ? 0 : count;
}

}  // namespace

size_t FindInvalidUtf8(StringView text) {
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = CodePointBytes(text, at);
    if (bytes == 0) return at;
    at += bytes;
  }
  return StringView::npos;
}

size_t FindControlCharacter(StringView text) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_control = (c >= 0 && c < 0x20) || c == 0x7F;
    if (is_control && c != '\t' && c != '\n' && c != '\r') return at;
  }
  return StringView::npos;
}

std::vector<StringView> SplitCodePoints(StringView text) {
  std::vector<StringView> points;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = CodePointBytes(text, at);
    points.push_back(text.substr(at, bytes == 0 ? 1 : bytes));
    at += points.back().size();
  }
  return points;
}

}  // namespace weir::config
