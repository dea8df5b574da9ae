// ByteWriter and ByteReader: little-endian fixed-width values and length-prefixed strings.
// The reader checks every length against what is left and allocates nothing before the check.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <absl/status/status.h>

#include "common/base/string_view.h"

namespace weir::io {

// Appends to a string it does not own.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  // REQUIRES: T is trivially copyable; stored as it lies in memory on a little-endian machine.
  template <class T>
  void Fixed(T value) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "stored bytes are little-endian");
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Bytes(StringView bytes) { out_.append(bytes.data(), bytes.size()); }
  // A 32-bit length, then the bytes. REQUIRES: bytes.size() fits 32 bits.
  void Sized(StringView bytes) {
    Fixed(static_cast<uint32_t>(bytes.size()));
    Bytes(bytes);
  }

 private:
  std::string& out_;
};

// Reads from bytes it does not own. After a failed read the reader stays where it was.
class ByteReader {
 public:
  explicit ByteReader(StringView bytes) : rest_(bytes) {}

  size_t remaining() const { return rest_.size(); }

  // DATA_LOSS: fewer bytes are left than asked for (all three).
  template <class T>
  absl::Status Fixed(T* value) {
    if (rest_.size() < sizeof(T)) return Truncated(sizeof(T));
    std::memcpy(value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return absl::OkStatus();
  }
  // A view into the read bytes.
  absl::Status Bytes(size_t size, StringView* bytes) {
    if (rest_.size() < size) return Truncated(size);
    *bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return absl::OkStatus();
  }
  absl::Status Sized(StringView* bytes) {
    if (rest_.size() < sizeof(uint32_t)) return Truncated(sizeof(uint32_t));
    uint32_t size = 0;
    std::memcpy(&size, rest_.data(), sizeof(size));
    if (rest_.size() - sizeof(size) < size) return Truncated(size);
    rest_.remove_prefix(sizeof(size));
    return Bytes(size, bytes);
  }

 private:
  absl::Status Truncated(size_t wanted) const;

  StringView rest_;
};

}  // namespace weir::io
