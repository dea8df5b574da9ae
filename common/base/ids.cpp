#include "common/base/ids.h"

namespace weir::base {
namespace {

// -1 for anything that is not a hexadecimal digit.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool ParseHex128(StringView text, uint64_t* high, uint64_t* low) {
  if (text.size() != 32) return false;
  uint64_t halves[2] = {0, 0};
  for (size_t i = 0; i < 32; ++i) {
    const int digit = HexDigit(text[i]);
    if (digit < 0) return false;
    halves[i / 16] = (halves[i / 16] << 4) | static_cast<uint64_t>(digit);
  }
  *high = halves[0];
  *low = halves[1];
  return true;
}

}  // namespace weir::base
