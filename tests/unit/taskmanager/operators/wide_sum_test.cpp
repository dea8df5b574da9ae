#include "taskmanager/operators/wide_sum.h"

#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::Int128;

const Int128 kLargest = types::PowerOfTen(38) - 1;

std::string Text(const absl::optional<Int128>& value) {
  return value.has_value() ? types::FormatDecimal(*value, 0) : "none";
}

}  // namespace

TEST_CASE("WideSum goes beyond 38 digits and comes back", "[operators][unit]") {
  WideSum sum;
  for (int i = 0; i < 1000; ++i) sum.Add(kLargest);
  CHECK_FALSE(sum.ToDecimal().has_value());
  for (int i = 0; i < 999; ++i) sum.Subtract(kLargest);
  CHECK(Text(sum.ToDecimal()) == types::FormatDecimal(kLargest, 0));
  for (int i = 0; i < 1000; ++i) sum.Add(-kLargest);
  CHECK_FALSE(sum.ToDecimal().has_value());
  for (int i = 0; i < 999; ++i) sum.Subtract(-kLargest);
  CHECK(sum == WideSum());
}

TEST_CASE("WideSum rounds a mean half away from zero", "[operators][unit]") {
  const auto mean = [](int64_t total, int64_t count, int digits) {
    WideSum sum;
    sum.Add(total);
    return Text(sum.Mean(count, digits));
  };
  CHECK(mean(5, 2, 0) == "3");
  CHECK(mean(-5, 2, 0) == "-3");
  CHECK(mean(4, 3, 0) == "1");
  CHECK(mean(4, 3, 6) == "1333333");
  CHECK(mean(5, 3, 2) == "167");
  CHECK(mean(-5, 3, 2) == "-167");
  CHECK(mean(0, 7, 4) == "0");
}

TEST_CASE("WideSum has no mean of more than 38 digits", "[operators][unit]") {
  WideSum sum;
  sum.Add(kLargest);
  sum.Add(kLargest);
  CHECK(Text(sum.Mean(2, 0)) == types::FormatDecimal(kLargest, 0));
  CHECK(Text(sum.Mean(2, 1)) == "none");
  CHECK(Text(sum.Mean(1, 0)) == "none");
  CHECK(Text(sum.Mean(20, 1)) == types::FormatDecimal(kLargest, 0));
}

TEST_CASE("WideSum adds as 128-bit integers do where they reach", "[operators][unit]") {
  const uint64_t seed = TestSeed(12);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  WideSum sum;
  Int128 expected = 0;
  for (int i = 0; i < 10000; ++i) {
    const Int128 value = (static_cast<Int128>(random.Between(INT64_MIN / 2, INT64_MAX / 2)) << 40) +
                         random.Between(INT64_MIN, INT64_MAX);
    if (random.OneIn(2)) {
      sum.Add(value);
      expected += value;
    } else {
      sum.Subtract(value);
      expected -= value;
    }
    REQUIRE(Text(sum.ToDecimal()) == types::FormatDecimal(expected, 0));
  }
}

}  // namespace weir::operators
