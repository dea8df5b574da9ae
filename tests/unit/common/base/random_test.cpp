// What must hold: a seed repeats its numbers on any machine, and bounds are kept and reached.
#include "common/base/random.h"

#include <set>

#include <catch2/catch.hpp>

namespace weir::base {
namespace {

TEST_CASE("A seed repeats its numbers and another seed has others", "[base][unit]") {
  Random one(1);
  Random same(1);
  Random other(2);
  int equal = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t number = one.Next();
    CHECK(number == same.Next());
    equal += number == other.Next() ? 1 : 0;
  }
  CHECK(equal == 0);
}

TEST_CASE("Numbers stay within their bounds and reach them", "[base][unit]") {
  Random random(3);
  std::set<int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const int64_t number = random.Between(-2, 2);
    REQUIRE(number >= -2);
    REQUIRE(number <= 2);
    seen.insert(number);
    const double fraction = random.Fraction();
    REQUIRE(fraction >= 0);
    REQUIRE(fraction < 1);
    REQUIRE(random.Below(1) == 0);
  }
  CHECK(seen.size() == 5);
  CHECK(random.Between(INT64_MIN, INT64_MAX) != random.Between(INT64_MIN, INT64_MAX));
}

}  // namespace
}  // namespace weir::base
