// What must hold: key groups, ranges and defaults are the frozen ones, on every machine for ever.
#include "common/state/key_group.h"

#include <catch2/catch.hpp>

#include "common/types/key_codec.h"

namespace weir::state {
namespace {

TEST_CASE("the murmur step gives its golden values", "[state][unit]") {
  CHECK(MurmurOfHash(0) == 593689054);
  CHECK(MurmurOfHash(1) == 68075478);
  CHECK(MurmurOfHash(2) == 1085422463);
  CHECK(MurmurOfHash(3) == 847579505);
  CHECK(MurmurOfHash(42) == 1134849565);
  CHECK(MurmurOfHash(static_cast<uint32_t>(-1)) == 1982413648);
  CHECK(MurmurOfHash(123456789) == 1088346449);
  CHECK(MurmurOfHash(static_cast<uint32_t>(INT32_MAX)) == 1653689534);
  CHECK(MurmurOfHash(static_cast<uint32_t>(INT32_MIN)) == 1718298732);
}

TEST_CASE("integers fall into their golden key groups", "[state][unit]") {
  const uint32_t groups[] = {94, 86, 127, 113, 7, 126, 18, 113, 15, 51};
  for (int32_t key = 0; key < 10; ++key) {
    CHECK(KeyGroupOfHash(types::HashInt32Key(key), 128) == groups[key]);
    CHECK(KeyGroupOfHash(types::HashInt64Key(key), 128) == groups[key]);
  }
  CHECK(KeyGroupOfHash(types::HashInt32Key(42), 128) == 29);
  CHECK(KeyGroupOfHash(types::HashInt32Key(1000), 128) == 7);
  CHECK(KeyGroupOfHash(types::HashInt32Key(-1), 128) == 80);
}

// The hash the golden string groups are given for: h = 31 * h + c.
uint32_t Polynomial(const char* text) {
  uint32_t hash = 0;
  for (; *text != 0; ++text) hash = 31 * hash + static_cast<uint8_t>(*text);
  return hash;
}

TEST_CASE("hashes of strings fall into their golden key groups", "[state][unit]") {
  CHECK(KeyGroupOfHash(Polynomial(""), 128) == 94);
  CHECK(KeyGroupOfHash(Polynomial("a"), 128) == 81);
  CHECK(KeyGroupOfHash(Polynomial("b"), 128) == 22);
  CHECK(KeyGroupOfHash(Polynomial("hello"), 128) == 35);
  CHECK(KeyGroupOfHash(Polynomial("flink"), 128) == 98);
  CHECK(KeyGroupOfHash(Polynomial("weir"), 128) == 4);
  CHECK(KeyGroupOfHash(Polynomial("key-0"), 128) == 31);
  CHECK(KeyGroupOfHash(Polynomial("key-1"), 128) == 54);
}

TEST_CASE("a subtask's range has its golden bounds", "[state][unit]") {
  CHECK(RangeOfSubtask(0, 2, 128) == KeyGroupRange{0, 63});
  CHECK(RangeOfSubtask(1, 2, 128) == KeyGroupRange{64, 127});
  CHECK(RangeOfSubtask(0, 3, 128) == KeyGroupRange{0, 42});
  CHECK(RangeOfSubtask(1, 3, 128) == KeyGroupRange{43, 85});
  CHECK(RangeOfSubtask(2, 3, 128) == KeyGroupRange{86, 127});
  CHECK(RangeOfSubtask(0, 2, 13) == KeyGroupRange{0, 6});
  CHECK(RangeOfSubtask(1, 2, 13) == KeyGroupRange{7, 12});
  CHECK(RangeOfSubtask(1, 3, 42) == KeyGroupRange{14, 27});
  CHECK(RangeOfSubtask(0, 4, 10) == KeyGroupRange{0, 2});
  CHECK(RangeOfSubtask(1, 4, 10) == KeyGroupRange{3, 4});
  CHECK(RangeOfSubtask(2, 4, 10) == KeyGroupRange{5, 7});
  CHECK(RangeOfSubtask(3, 4, 10) == KeyGroupRange{8, 9});
}

TEST_CASE("the ranges of all subtasks cover each group once and agree with the inverse",
          "[state][unit]") {
  for (const uint32_t groups : {1u, 2u, 7u, 13u, 128u, 1000u, kMaxParallelismMax}) {
    for (const uint32_t parallelism : {1u, 2u, 3u, 7u, 100u, kMaxParallelismMax}) {
      if (parallelism > groups) continue;
      CAPTURE(groups, parallelism);
      uint32_t next = 0;
      bool is_inverse = true;
      for (uint32_t i = 0; i < parallelism; ++i) {
        const KeyGroupRange range = RangeOfSubtask(i, parallelism, groups);
        is_inverse &= range.first == next;
        for (uint32_t group = range.first; group <= range.last; ++group) {
          is_inverse &= SubtaskOfKeyGroup(group, parallelism, groups) == i;
        }
        next = range.last + 1;
      }
      CHECK(is_inverse);
      CHECK(next == groups);
    }
  }
}

TEST_CASE("the default max parallelism is 1.5 times rounded up, within bounds", "[state][unit]") {
  for (uint32_t parallelism = 1; parallelism <= 85; ++parallelism) {
    CHECK(DefaultMaxParallelism(parallelism) == 128);
  }
  CHECK(DefaultMaxParallelism(86) == 256);
  CHECK(DefaultMaxParallelism(170) == 256);
  CHECK(DefaultMaxParallelism(171) == 256);
  CHECK(DefaultMaxParallelism(200) == 512);
  CHECK(DefaultMaxParallelism(1000) == 2048);
  CHECK(DefaultMaxParallelism(30000) == 32768);
}

TEST_CASE("ranges intersect", "[state][unit]") {
  const auto both = [](KeyGroupRange a, KeyGroupRange b) { return a.Intersection(b); };
  CHECK(both({0, 10}, {3, 7}) == KeyGroupRange{3, 7});
  CHECK(both({0, 5}, {6, 10}).IsEmpty());
  CHECK(both({0, 10}, {5, 20}) == KeyGroupRange{5, 10});
  CHECK(both({3, 12}, {0, 10}) == KeyGroupRange{3, 10});
  CHECK(both({2, 10}, {11, 13}).IsEmpty());
  CHECK(both({2, 10}, {5, 13}) == KeyGroupRange{5, 10});
  CHECK(both({2, 10}, {0, 2}) == KeyGroupRange{2, 2});
}

TEST_CASE("a range knows its size and its groups", "[state][unit]") {
  for (const KeyGroupRange range :
       {KeyGroupRange{0, 0}, KeyGroupRange{0, 1}, KeyGroupRange{1, 2}, KeyGroupRange{42, 42},
        KeyGroupRange{3, 7}, KeyGroupRange{0, 32767}, KeyGroupRange{32766, 32767}}) {
    CAPTURE(range.first, range.last);
    CHECK(range.Size() == range.last - range.first + 1);
    CHECK(range.Contains(range.first));
    CHECK(range.Contains(range.last));
    CHECK_FALSE(range.Contains(range.last + 1));
    CHECK_FALSE(range.Contains(range.first - 1));
  }
  CHECK(KeyGroupRange{}.IsEmpty());
  CHECK(KeyGroupRange{}.Size() == 0);
}

}  // namespace
}  // namespace weir::state
