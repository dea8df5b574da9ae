#include "taskmanager/operators/merged_groups.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using Counts = std::map<int64_t, int64_t>;

// A number as a key of either kind; long ones do not fit a slot of the key table.
types::KeyBatch KeysOf(bool is_fixed, const std::vector<int64_t>& numbers) {
  types::KeyBatch keys;
  keys.is_fixed = is_fixed;
  keys.offsets.push_back(0);
  for (const int64_t number : numbers) {
    if (is_fixed) {
      keys.fixed.push_back(number);
    } else {
      const std::string key = std::string(number % 3 * 20, 'x') + std::to_string(number);
      keys.bytes.insert(keys.bytes.end(), key.begin(), key.end());
      keys.offsets.push_back(static_cast<uint32_t>(keys.bytes.size()));
    }
    keys.partition_hash.push_back(0);
  }
  return keys;
}

int64_t NumberOf(bool is_fixed, const state::TableRows& rows, size_t i) {
  if (is_fixed) return rows.fixed[i];
  const std::string key(rows.keys[i].data(), rows.keys[i].size());
  return std::stoll(key.substr(key.find_first_not_of('x')));
}

Counts Read(const MergedGroups& groups, bool is_fixed, size_t piece) {
  Counts counts;
  uint32_t next = 0;
  size_t count = piece;
  while (count == piece) {
    state::TableRows rows;
    count = groups.Append(piece, &next, &rows);
    REQUIRE(rows.size() == count);
    for (size_t i = 0; i < count; ++i) {
      const bool is_new =
          counts.emplace(NumberOf(is_fixed, rows, i), LoadAs<int64_t>(rows.values[i])).second;
      REQUIRE(is_new);
    }
  }
  return counts;
}

struct AddedSlice {
  Counts counts;
  types::PodVector<uint32_t> numbers;  // in the order of `counts`
};

void Bump(MergedGroups& groups, const AddedSlice& slice, int64_t sign) {
  types::PodVector<Accumulator> accumulators;
  groups.Locate(slice.numbers, &accumulators);
  size_t i = 0;
  for (const auto& [key, count] : slice.counts) {
    const Accumulator at = accumulators[i++];
    StoreAs(at, LoadAs<int64_t>(at) + sign * count);
  }
}

}  // namespace

TEST_CASE("Merged groups are the sum of the slices that are in", "[operators][unit]") {
  const uint64_t seed = TestSeed(5);
  INFO("WEIR_TEST_SEED=" << seed);
  const bool is_fixed = GENERATE(true, false);
  const uint64_t key_count = GENERATE(3, 500, 5000);
  CAPTURE(is_fixed, key_count);
  base::Random random(seed);
  MergedGroups groups(is_fixed, 2 * sizeof(int64_t));
  std::deque<AddedSlice> slices;
  for (int round = 0; round < 60; ++round) {
    if (round == 40) {
      groups.Clear();
      slices.clear();
    }
    AddedSlice& added = slices.emplace_back();
    for (uint64_t i = random.Below(key_count); i > 0; --i) {
      added.counts[static_cast<int64_t>(random.Below(key_count))] = random.Between(1, 9);
    }
    std::vector<int64_t> keys;
    for (const auto& [key, count] : added.counts) keys.push_back(key);
    REQUIRE(groups.FindOrAdd(KeysOf(is_fixed, keys), &added.numbers).ok());
    Bump(groups, added, +1);
    groups.AddSlice(added.numbers);
    if (slices.size() > 5) {
      Bump(groups, slices.front(), -1);
      REQUIRE(groups.RemoveSlice(slices.front().numbers).ok());
      slices.pop_front();
    }
    Counts expected;
    for (const AddedSlice& slice : slices) {
      for (const auto& [key, count] : slice.counts) expected[key] += count;
    }
    REQUIRE(Read(groups, is_fixed, /*piece=*/1 + random.Below(1500)) == expected);
  }
}

TEST_CASE("A key that comes back finds an accumulator of zeros", "[operators][unit]") {
  MergedGroups groups(/*is_key_fixed=*/true, sizeof(int64_t));
  types::PodVector<uint32_t> numbers;
  types::PodVector<Accumulator> accumulators;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(groups.FindOrAdd(KeysOf(true, {7, 8, 7}), &numbers).ok());
    CHECK(numbers[0] == numbers[2]);
    groups.Locate(numbers, &accumulators);
    CHECK(LoadAs<int64_t>(accumulators[0]) == 0);
    StoreAs<int64_t>(accumulators[0], 5);
    groups.AddSlice(absl::MakeConstSpan(numbers).first(2));
    CHECK(Read(groups, true, 10) == Counts{{7, 5}, {8, 0}});
    REQUIRE(groups.RemoveSlice(absl::MakeConstSpan(numbers).first(2)).ok());
    CHECK(Read(groups, true, 10).empty());
  }
}

}  // namespace weir::operators
