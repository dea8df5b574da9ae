// Random: a small seeded generator (xoshiro256**, Blackman and Vigna 2018, seeded by SplitMix64),
// so that anything random can print its seed and be played again on any machine.
#pragma once

#include <cstdint>

namespace weir::base {

// SplitMix64's finalizer: a bijection that spreads every input bit over the output.
constexpr uint64_t MixBits(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Thread: confined to one thread.
class Random {
 public:
  explicit Random(uint64_t seed);

  uint64_t Next();
  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);
  // Uniform in [low, high]. REQUIRES: low <= high.
  int64_t Between(int64_t low, int64_t high);
  // Uniform in [0, 1).
  double Fraction();
  // True once in `n` on average.
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_[4] = {};
};

// A seed from the operating system.
uint64_t EntropySeed();

}  // namespace weir::base
