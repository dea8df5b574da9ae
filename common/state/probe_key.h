// ProbeKey: a key as the words of its slot, with its bucket hash. Internal to the table.
// kFixed8: the int64. kBytes: a length byte and the key, padded with zeros; or kOutOfLine, the
// 32-bit length and the address of the bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/base/random.h"
#include "common/base/string_view.h"
#include "common/io/hash.h"

namespace weir::state {

inline constexpr uint8_t kOutOfLine = 0xff;
inline constexpr size_t kKeySlotBytesMax = 32;
// Every byte of the key in an unused slot. No kBytes key begins with it; the one kFixed8 key that
// looks like it must be found by its tag.
inline constexpr uint8_t kUnusedByte = 0xfe;
static_assert(kUnusedByte >= kKeySlotBytesMax && kUnusedByte != kOutOfLine);
inline constexpr uint64_t kUnusedWord = 0xfefefefefefefefeULL;

// The fields of a key slot whose bytes lie elsewhere.
struct OutOfLineKey {
  uint8_t mark;
  uint8_t unused[3];
  uint32_t size;
  const char* bytes;
};
static_assert(sizeof(OutOfLineKey) == 16);

inline bool IsOutOfLine(const std::byte* key_slot) {
  return static_cast<uint8_t>(key_slot[0]) == kOutOfLine;
}

// The key in a slot of a table with keys of `key_words` words.
inline StringView KeyBytesOfSlot(const std::byte* key_slot, size_t key_words) {
  const char* chars = reinterpret_cast<const char*>(key_slot);
  if (key_words == 1) return StringView(chars, sizeof(int64_t));
  if (!IsOutOfLine(key_slot)) return StringView(chars + 1, static_cast<uint8_t>(key_slot[0]));
  OutOfLineKey key{};
  std::memcpy(&key, key_slot, sizeof(key));
  return StringView(key.bytes, key.size);
}

// Folds a 128-bit product: spreads every bit of both words.
inline uint64_t MixWords(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

template <size_t kWords>
struct ProbeKey {
  uint64_t words[kWords];
  uint64_t hash;

  void Load(StringView bytes) {
    std::memset(words, 0, sizeof(words));
    if constexpr (kWords == 1) {
      std::memcpy(words, bytes.data(), sizeof(words));
      hash = base::MixBits(words[0]);
    } else if (bytes.size() < sizeof(words)) {
      char* slot = reinterpret_cast<char*>(words);
      slot[0] = static_cast<char>(bytes.size());
      if (!bytes.empty()) std::memcpy(slot + 1, bytes.data(), bytes.size());
      hash = HashOfWords(words);
    } else {
      const OutOfLineKey key{kOutOfLine, {}, static_cast<uint32_t>(bytes.size()), bytes.data()};
      std::memcpy(words, &key, sizeof(key));
      hash = base::MixBits(io::Xxh3(bytes));
    }
  }
  void LoadFixed(int64_t key) {
    static_assert(kWords >= 1);
    words[0] = static_cast<uint64_t>(key);
    hash = base::MixBits(words[0]);
  }

  // Whether the key equals an unused slot's.
  bool LooksUnused() const { return words[0] == kUnusedWord; }
  bool Equals(const std::byte* key_slot) const {
    uint64_t other[kWords];
    std::memcpy(other, key_slot, sizeof(other));
    uint64_t difference = 0;
    for (size_t i = 0; i < kWords; ++i) difference |= words[i] ^ other[i];
    if (difference == 0) return true;
    if constexpr (kWords == 1) return false;
    // The address is the only word in which equal keys may differ.
    if (words[0] != other[0] || !IsOutOfLine(key_slot)) return false;
    const StringView mine = KeyBytesOfSlot(reinterpret_cast<const std::byte*>(words), kWords);
    return KeyBytesOfSlot(key_slot, kWords) == mine;
  }

  static uint64_t HashOfSlot(const std::byte* key_slot) {
    uint64_t slot_words[kWords];
    std::memcpy(slot_words, key_slot, sizeof(slot_words));
    if constexpr (kWords == 1) return base::MixBits(slot_words[0]);
    if (IsOutOfLine(key_slot)) return base::MixBits(io::Xxh3(KeyBytesOfSlot(key_slot, kWords)));
    return HashOfWords(slot_words);
  }

 private:
  static uint64_t HashOfWords(const uint64_t* slot_words) {
    uint64_t state = 0x9e3779b97f4a7c15ULL;
    for (size_t i = 0; i + 1 < kWords; i += 2) {
      state = MixWords(slot_words[i] ^ state, slot_words[i + 1] ^ 0xd6e8feb86659fd93ULL);
    }
    if constexpr (kWords % 2 == 1) state ^= slot_words[kWords - 1];
    return base::MixBits(state);
  }
};

}  // namespace weir::state
