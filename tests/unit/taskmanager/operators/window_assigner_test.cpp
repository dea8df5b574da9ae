#include "taskmanager/operators/window_assigner.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

// Ends of all windows that contain `time`, by looking at each.
std::vector<int64_t> EndsByDefinition(const graph::WindowSpec& spec, int64_t time) {
  std::vector<int64_t> ends;
  const int64_t near = time / spec.slide_us;
  const int64_t reach = spec.size_us / spec.slide_us + 3;
  for (int64_t n = near - reach; n <= near + reach; ++n) {
    const int64_t start = spec.offset_us + n * spec.slide_us;
    if (start <= time && time < start + spec.size_us) ends.push_back(start + spec.size_us);
  }
  return ends;
}

}  // namespace

TEST_CASE("WindowAssigner gives tumbling windows their bounds", "[operators][unit]") {
  const WindowAssigner windows({.size_us = 10, .slide_us = 10, .offset_us = 3});
  CHECK(windows.IsTumbling());
  CHECK(windows.SliceOf(3) == Slice{3, 13, 13, 13});
  CHECK(windows.SliceOf(12) == Slice{3, 13, 13, 13});
  CHECK(windows.SliceOf(2) == Slice{-7, 3, 3, 3});
  CHECK(windows.SliceOf(-7) == Slice{-7, 3, 3, 3});
  CHECK(windows.SliceOf(-8) == Slice{-17, -7, -7, -7});
}

TEST_CASE("WindowAssigner cuts slices as long as a slide that divides the size",
          "[operators][unit]") {
  const WindowAssigner windows({.size_us = 10, .slide_us = 2, .offset_us = 0});
  CHECK_FALSE(windows.IsTumbling());
  CHECK(windows.SliceOf(5) == Slice{4, 6, 6, 14});
  CHECK(windows.SliceOf(-1) == Slice{-2, 0, 0, 8});
}

TEST_CASE("WindowAssigner cuts slices at every bound of windows that overlap unevenly",
          "[operators][unit]") {
  // Windows [0, 7), [3, 10), [6, 13): bounds at 0, 1, 3, 4, 6, 7, 9, 10.
  const WindowAssigner windows({.size_us = 7, .slide_us = 3, .offset_us = 0});
  CHECK(windows.SliceOf(3) == Slice{3, 4, 4, 10});
  CHECK(windows.SliceOf(4) == Slice{4, 6, 7, 10});
  CHECK(windows.SliceOf(6) == Slice{6, 7, 7, 13});
  CHECK(windows.SliceOf(7) == Slice{7, 9, 10, 13});
}

TEST_CASE("WindowAssigner agrees with the definition of windows", "[operators][unit]") {
  const uint64_t seed = TestSeed(11);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    graph::WindowSpec spec;
    spec.size_us = random.Between(1, 40);
    spec.slide_us = random.Between(1, spec.size_us);
    spec.offset_us = random.Between(0, spec.slide_us - 1);
    const int64_t time = random.Between(-200, 200);
    CAPTURE(spec.size_us, spec.slide_us, spec.offset_us, time);
    const WindowAssigner windows(spec);
    const std::vector<int64_t> ends = EndsByDefinition(spec, time);
    const Slice slice = windows.SliceOf(time);
    REQUIRE(slice.Contains(time));
    REQUIRE(slice.first_window_end == ends.front());
    REQUIRE(slice.last_window_end == ends.back());
    // All times of the slice are in the same windows, and its neighbours are in others.
    for (int64_t other = slice.start; other < slice.end; ++other) {
      REQUIRE(EndsByDefinition(spec, other) == ends);
    }
    REQUIRE(EndsByDefinition(spec, slice.start - 1) != ends);
    REQUIRE(EndsByDefinition(spec, slice.end) != ends);
  }
}

TEST_CASE("WindowAssigner covers times whose windows' bounds are timestamps", "[operators][unit]") {
  // Windows of 10 us every 4 us; 0001-01-01 and 9999-12-31 lie at multiples of 4 us.
  const WindowAssigner windows({.size_us = 10, .slide_us = 4, .offset_us = 0});
  CHECK(windows.Covers(0));
  CHECK_FALSE(windows.Covers(INT64_MAX));
  CHECK_FALSE(windows.Covers(INT64_MIN));
  constexpr int64_t kEarliest = types::kTimestampMin;
  REQUIRE(kEarliest % 4 == 0);
  // The window that starts before time begins is [kEarliest - 4, kEarliest + 6).
  CHECK_FALSE(windows.Covers(kEarliest + 3));
  CHECK_FALSE(windows.Covers(kEarliest + 5));
  CHECK(windows.Covers(kEarliest + 6));
  constexpr int64_t kEnd = types::kTimestampMax + 1;
  REQUIRE(kEnd % 4 == 0);
  // [kEnd - 12, kEnd - 2) is the last one that ends in time.
  CHECK(windows.Covers(kEnd - 9));
  CHECK_FALSE(windows.Covers(kEnd - 8));
}

TEST_CASE("WindowAssigner does not overflow at the ends of time", "[operators][unit]") {
  const WindowAssigner windows(
      {.size_us = kWindowSizeUsMax, .slide_us = kWindowSizeUsMax - 1, .offset_us = 7});
  for (const int64_t time : {types::kTimestampMin, types::kTimestampMax}) {
    CHECK(windows.SliceOf(time).Contains(time));
    CHECK_FALSE(windows.Covers(time));
  }
}

}  // namespace weir::operators
