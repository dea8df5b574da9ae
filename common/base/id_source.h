// IdSource: makes 128-bit ids from a seeded generator, so that a simulated run repeats its ids.
#pragma once

#include "common/base/ids.h"
#include "common/base/random.h"

namespace weir::base {

// Thread: confined to one thread.
class IdSource {
 public:
  explicit IdSource(uint64_t seed) : random_(seed) {}

  template <class Id>
  Id Make() {
    const uint64_t high = random_.Next();
    return Id{high, random_.Next() | 1};  // never nil
  }

 private:
  Random random_;
};

}  // namespace weir::base
