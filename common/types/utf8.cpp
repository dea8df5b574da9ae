#include "common/types/utf8.h"

#include <cstdint>
#include <cstring>

namespace weir::types {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080ULL;

// Bytes of the sequence that `lead` starts, and what its second byte must lie between.
struct Sequence {
  size_t size = 0;  // 0: `lead` starts none
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {};  // a continuation byte, or an overlong form
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};  // above: surrogates
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};  // above: beyond U+10FFFF
  return {};
}

bool IsSequence(StringView bytes, const Sequence& sequence) {
  if (sequence.size == 0 || bytes.size() < sequence.size) return false;
  if (sequence.size == 1) return true;
  const uint8_t second = static_cast<uint8_t>(bytes[1]);
  if (second < sequence.second_min || second > sequence.second_max) return false;
  for (size_t i = 2; i < sequence.size; ++i) {
    if ((static_cast<uint8_t>(bytes[i]) & 0xC0) != 0x80) return false;
  }
  return true;
}

}  // namespace

size_t ValidUtf8Prefix(StringView bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    uint64_t word = 0;
    while (at + sizeof(word) <= bytes.size()) {
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      if ((word & kHighBits) != 0) break;
      at += sizeof(word);
    }
    if (at == bytes.size()) break;
    const Sequence sequence = SequenceOf(static_cast<uint8_t>(bytes[at]));
    if (!IsSequence(bytes.substr(at), sequence)) return at;
    at += sequence.size;
  }
  return at;
}

}  // namespace weir::types
