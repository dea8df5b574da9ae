#include "taskmanager/connectors/split.h"

#include <catch2/catch.hpp>

#include "taskmanager/connectors/split_watermark.h"

namespace weir::connectors {
namespace {

Split SplitAt(EventTimeUs event_time_max, bool is_finished = false) {
  Split split;
  split.event_time_max = event_time_max;
  split.is_finished = is_finished;
  return split;
}

}  // namespace

TEST_CASE("A split is stored and read back", "[connectors][unit]") {
  const Split split{.index = 3,
                    .total = 7,
                    .detail = std::string("a\0b", 3),
                    .position = 1234567,
                    .is_finished = true,
                    .event_time_max = -5};
  const auto read = DecodeSplit(EncodeSplit(split));
  REQUIRE(read.ok());
  CHECK(*read == split);
}

TEST_CASE("A damaged split is refused", "[connectors][unit]") {
  const std::string good = EncodeSplit(Split{.detail = "abc"});
  for (size_t size = 0; size < good.size(); ++size) {
    CHECK(DecodeSplit(good.substr(0, size)).status().code() == absl::StatusCode::kDataLoss);
  }
  CHECK_FALSE(DecodeSplit(good + "x").ok());
  CHECK_FALSE(DecodeSplit("\x09" + good.substr(1)).ok());
}

TEST_CASE("Splits are dealt out in runs whose lengths differ by one", "[connectors][unit]") {
  for (uint32_t total = 0; total <= 20; ++total) {
    for (uint32_t parallelism = 1; parallelism <= 6; ++parallelism) {
      uint32_t next = 0;
      for (uint32_t subtask = 0; subtask < parallelism; ++subtask) {
        const auto own = DealSplits(std::vector<Split>(total), subtask, parallelism);
        CHECK(own.size() >= total / parallelism);
        CHECK(own.size() <= total / parallelism + 1);
        for (const Split& split : own) {
          CHECK(split.index == next++);
          CHECK(split.total == total);
        }
      }
      CHECK(next == total);
    }
  }
}

TEST_CASE("The watermark is the lowest of unfinished splits", "[connectors][unit]") {
  CHECK(WatermarkOf({SplitAt(100), SplitAt(70), SplitAt(90)}, 10) == 60);
  CHECK(WatermarkOf({SplitAt(100), SplitAt(kEventTimeMin)}, 10) == kEventTimeMin);
  CHECK(WatermarkOf({SplitAt(100), SplitAt(kEventTimeMin, true)}, 10) == 90);
  CHECK(WatermarkOf({SplitAt(100), SplitAt(50, true)}, 0) == 100);
  CHECK(WatermarkOf({SplitAt(1, true)}, 0) == kEventTimeMax);
  CHECK(WatermarkOf({}, 0) == kEventTimeMax);
  CHECK(WatermarkOf({SplitAt(kEventTimeMin + 5)}, 10) == kEventTimeMin);
}

}  // namespace weir::connectors
