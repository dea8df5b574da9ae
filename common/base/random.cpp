#include "common/base/random.h"

#include <random>

#include "common/base/check.h"

namespace weir::base {
namespace {

constexpr uint64_t RotateLeft(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) {
    word = MixBits(seed);
    seed += 0x9e3779b97f4a7c15ULL;
  }
}

uint64_t Random::Next() {
  const uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = RotateLeft(state_[3], 45);
  return result;
}

uint64_t Random::Below(uint64_t bound) {
  WEIR_CHECK(bound > 0);
  // The high half of a 128-bit product; the bias is below 2^-64 * bound.
  return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
}

int64_t Random::Between(int64_t low, int64_t high) {
  WEIR_CHECK(low <= high);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (span == UINT64_MAX) return static_cast<int64_t>(Next());
  return static_cast<int64_t>(static_cast<uint64_t>(low) + Below(span + 1));
}

double Random::Fraction() {
  return static_cast<double>(Next() >> 11) * 0x1.0p-53;
}

uint64_t EntropySeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace weir::base
