// WideSum: an exact sum of up to 2^63 decimals of 38 digits: a signed 192-bit integer.
#pragma once

#include <cstdint>

#include <absl/types/optional.h>

#include "common/types/decimal.h"

namespace weir::operators {

// A plain value; all zeros is 0. Lies in accumulators byte for byte.
struct WideSum {
  uint64_t low = 0;
  uint64_t middle = 0;
  int64_t high = 0;

  bool operator==(const WideSum&) const = default;

  void Add(types::Int128 value) {
    Add({static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64), value < 0 ? -1 : 0});
  }
  void Subtract(types::Int128 value) {
    Subtract(
        {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64), value < 0 ? -1 : 0});
  }
  void Add(const WideSum& other);
  void Subtract(const WideSum& other);

  // The sum, if it has at most 38 digits.
  absl::optional<types::Int128> ToDecimal() const;
  // sum * 10^digits / count, rounded half away from zero. nullopt: more than 38 digits.
  // REQUIRES: count > 0; 0 <= digits <= 38.
  absl::optional<types::Int128> Mean(int64_t count, int digits) const;
};

}  // namespace weir::operators
