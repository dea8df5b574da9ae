#include "common/types/json/json_unescape.h"

#include <algorithm>
#include <cstdint>

namespace weir::types {
namespace {

constexpr size_t kHexDigitCount = 4;
constexpr uint32_t kHighSurrogateMin = 0xD800;
constexpr uint32_t kLowSurrogateMin = 0xDC00;
constexpr uint32_t kSurrogateMax = 0xDFFF;

// Reads the four digits behind "\u" off the front of `rest`.
bool TakeHex(StringView* rest, uint32_t* value) {
  if (rest->size() < kHexDigitCount) return false;
  *value = 0;
  for (size_t i = 0; i < kHexDigitCount; ++i) {
    const char c = (*rest)[i];
    const char lower = static_cast<char>(c | 0x20);
    uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      digit = static_cast<uint32_t>(lower - 'a') + 10;
    } else {
      return false;
    }
    *value = *value * 16 + digit;
  }
  rest->remove_prefix(kHexDigitCount);
  return true;
}

void AppendUtf8(uint32_t point, std::string* out) {
  const auto continuation = [point](int shift) {
    return static_cast<char>(0x80 | ((point >> shift) & 0x3F));
  };
  if (point < 0x80) {
    out->push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out->append({static_cast<char>(0xC0 | (point >> 6)), continuation(0)});
  } else if (point < 0x10000) {
    out->append({static_cast<char>(0xE0 | (point >> 12)), continuation(6), continuation(0)});
  } else {
    out->append({static_cast<char>(0xF0 | (point >> 18)), continuation(12), continuation(6),
                 continuation(0)});
  }
}

// `rest` is behind "\u".
bool TakeCodePoint(StringView* rest, std::string* out) {
  uint32_t point = 0;
  if (!TakeHex(rest, &point)) return false;
  if (point >= kHighSurrogateMin && point <= kSurrogateMax) {
    uint32_t low = 0;
    if (point >= kLowSurrogateMin || rest->substr(0, 2) != "\\u") return false;
    rest->remove_prefix(2);
    if (!TakeHex(rest, &low) || low < kLowSurrogateMin || low > kSurrogateMax) return false;
    point = 0x10000 + ((point - kHighSurrogateMin) << 10) + (low - kLowSurrogateMin);
  }
  AppendUtf8(point, out);
  return true;
}

// What stands behind a backslash for one byte, and that byte.
constexpr StringView kEscapes("\"\\/bfnrt");
constexpr StringView kEscaped("\"\\/\b\f\n\r\t");

}  // namespace

bool AppendUnescaped(StringView escaped, std::string* out) {
  while (true) {
    const size_t plain = std::min(escaped.find('\\'), escaped.size());
    out->append(escaped.data(), plain);
    escaped.remove_prefix(plain);
    if (escaped.empty()) return true;
    if (escaped.size() < 2) return false;
    const char kind = escaped[1];
    escaped.remove_prefix(2);
    const size_t index = kEscapes.find(kind);
    if (index != StringView::npos) {
      out->push_back(kEscaped[index]);
    } else if (kind != 'u' || !TakeCodePoint(&escaped, out)) {
      return false;
    }
  }
}

}  // namespace weir::types
