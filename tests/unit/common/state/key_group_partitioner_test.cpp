// What must hold: partitioning puts every row once into its own group and keeps the rows' order.
#include "common/state/key_group_partitioner.h"

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/common/state/table_samples.h"

namespace weir::state {
namespace {

TEST_CASE("every row lands once in its own group, in order", "[state][unit]") {
  const uint64_t seed = TestSeed(7);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (const size_t row_count : {0u, 1u, 2u, 10u, 5000u}) {
    CAPTURE(row_count);
    const KeyGroupRange range{3, 7};
    std::vector<uint32_t> groups(row_count);
    for (uint32_t& group : groups) group = static_cast<uint32_t>(random.Between(3, 7));

    KeyGroupPartition partition;
    REQUIRE(PartitionByKeyGroup(groups, range, &partition).ok());
    std::vector<bool> seen(row_count, false);
    bool is_right = partition.order.size() == row_count;
    for (uint32_t index = 0; index < range.Size(); ++index) {
      int64_t previous = -1;
      for (const uint32_t row : partition.RowsOfGroup(index)) {
        is_right &= groups[row] == range.first + index && !seen[row] && row > previous;
        seen[row] = true;
        previous = row;
      }
    }
    CHECK(is_right);
  }
}

TEST_CASE("a group outside the range is an internal error that names both", "[state][unit]") {
  KeyGroupPartition partition;
  const std::vector<uint32_t> groups = {3, 8};
  const absl::Status status = PartitionByKeyGroup(groups, {3, 7}, &partition);
  CHECK(status.code() == absl::StatusCode::kInternal);
  CHECK_THAT(std::string(status.message()),
             Catch::Contains("group 8") && Catch::Contains("3 to 7"));
}

}  // namespace
}  // namespace weir::state
