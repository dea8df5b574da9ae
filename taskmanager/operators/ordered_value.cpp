#include "taskmanager/operators/ordered_value.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/check.h"

namespace weir::operators {
namespace {

using types::Int128;
using types::TypeKind;
__extension__ using Uint128 = unsigned __int128;

constexpr size_t kLengthBytes = sizeof(uint32_t);

template <class Bits>
constexpr Bits kSignBit = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));

template <class Bits>
void AppendBigEndian(Bits bits, types::PodVector<char>* out) {
  char bytes[sizeof(Bits)];
  for (size_t i = sizeof(Bits); i > 0; --i) {
    bytes[i - 1] = static_cast<char>(bits & 0xff);
    if constexpr (sizeof(Bits) > 1) bits = static_cast<Bits>(bits >> 8);
  }
  out->insert(out->end(), bytes, bytes + sizeof(Bits));
}

template <class Bits>
Bits LoadBigEndian(StringView bytes) {
  WEIR_CHECK(bytes.size() == sizeof(Bits));
  Bits bits = 0;
  for (const char byte : bytes) {
    if constexpr (sizeof(Bits) > 1) bits = static_cast<Bits>(bits << 8);
    bits = static_cast<Bits>(bits | static_cast<uint8_t>(byte));
  }
  return bits;
}

template <class Bits, class T>
void AppendSigned(T value, types::PodVector<char>* out) {
  AppendBigEndian<Bits>(static_cast<Bits>(value) ^ kSignBit<Bits>, out);
}

// Positive doubles order as their bits do, negative ones the other way round.
uint64_t OrderedBits(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  if (value == 0) value = 0;
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & kSignBit<uint64_t>) != 0 ? ~bits : bits | kSignBit<uint64_t>;
}

double FromOrderedBits(uint64_t bits) {
  bits = (bits & kSignBit<uint64_t>) != 0 ? bits & ~kSignBit<uint64_t> : ~bits;
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <class T>
FixedValue ToFixed(T value) {
  FixedValue fixed{};
  std::memcpy(fixed.bytes, &value, sizeof(T));
  return fixed;
}

}  // namespace

void AppendOrderedValue(const types::Column& column, size_t row, types::PodVector<char>* out) {
  switch (column.type().kind) {
    case TypeKind::kBool:
      out->push_back(static_cast<char>(column.Values<uint8_t>()[row]));
      return;
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return AppendSigned<uint32_t>(column.Values<int32_t>()[row], out);
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
      return AppendSigned<uint64_t>(column.Values<int64_t>()[row], out);
    case TypeKind::kDouble:
      return AppendBigEndian(OrderedBits(column.Values<double>()[row]), out);
    case TypeKind::kDecimal: {
      Int128 value = 0;
      std::memcpy(&value, column.Values<Int128>() + row, sizeof(value));
      return AppendSigned<Uint128>(value, out);
    }
    case TypeKind::kString: {
      const StringView text = column.String(row);
      out->insert(out->end(), text.begin(), text.end());
      const uint32_t length = static_cast<uint32_t>(text.size());
      const char* bytes = reinterpret_cast<const char*>(&length);
      out->insert(out->end(), bytes, bytes + kLengthBytes);
      return;
    }
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  WEIR_CHECK(false);
}

size_t PrefixBeforeValue(StringView key, const types::DataType& type) {
  size_t size = types::FixedWidth(type.kind);
  if (type.kind == TypeKind::kString) {
    WEIR_CHECK(key.size() >= kLengthBytes);
    uint32_t length = 0;
    std::memcpy(&length, key.data() + key.size() - kLengthBytes, kLengthBytes);
    size = length + kLengthBytes;
  }
  WEIR_CHECK(size <= key.size());
  return key.size() - size;
}

StringView OrderingPart(StringView value, const types::DataType& type) {
  if (type.kind != TypeKind::kString) return value;
  return value.substr(0, value.size() - kLengthBytes);
}

FixedValue DecodeOrderedValue(StringView value, const types::DataType& type) {
  switch (types::FixedWidth(type.kind)) {
    case 1:
      return ToFixed(LoadBigEndian<uint8_t>(value));
    case 4:
      return ToFixed(LoadBigEndian<uint32_t>(value) ^ kSignBit<uint32_t>);
    case 8:
      if (type.kind == TypeKind::kDouble) {
        return ToFixed(FromOrderedBits(LoadBigEndian<uint64_t>(value)));
      }
      return ToFixed(LoadBigEndian<uint64_t>(value) ^ kSignBit<uint64_t>);
    default:
      return ToFixed(LoadBigEndian<Uint128>(value) ^ kSignBit<Uint128>);
  }
}

}  // namespace weir::operators
