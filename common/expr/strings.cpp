#include "common/expr/strings.h"

#include <cstring>

#include <absl/strings/str_cat.h>

namespace weir::expr {
namespace {

// Longest piece of user data in a message.
constexpr size_t kExcerptBytesMax = 64;

bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Length that a first byte promises.
size_t PromisedBytes(char c) {
  const unsigned char byte = static_cast<unsigned char>(c);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

}  // namespace

size_t CharacterBytes(StringView text, size_t at) {
  const size_t promised = PromisedBytes(text[at]);
  if (promised > text.size() - at) return 1;
  for (size_t i = 1; i < promised; ++i) {
    if (!Continues(text[at + i])) return 1;
  }
  return promised;
}

size_t CharacterCount(StringView text) {
  if (IsAscii(text)) return text.size();
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += CharacterBytes(text, at)) ++count;
  return count;
}

size_t BytesOfCharacters(StringView text, size_t count) {
  size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += CharacterBytes(text, at);
  return at;
}

bool IsAscii(StringView text) {
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    if ((word & 0x8080808080808080ULL) != 0) return false;
  }
  for (; left > 0; --left, ++at) {
    if ((static_cast<unsigned char>(*at) & 0x80) != 0) return false;
  }
  return true;
}

StringView CopyString(StringView text, Arena* arena) {
  if (text.empty()) return StringView("", 0);
  char* copy = arena->NewArray<char>(text.size());
  std::memcpy(copy, text.data(), text.size());
  return StringView(copy, text.size());
}

std::string Excerpt(StringView text) {
  if (text.size() <= kExcerptBytesMax) return std::string(text);
  size_t end = 0;
  while (end + CharacterBytes(text, end) <= kExcerptBytesMax) end += CharacterBytes(text, end);
  return absl::StrCat(text.substr(0, end), "...");
}

}  // namespace weir::expr
