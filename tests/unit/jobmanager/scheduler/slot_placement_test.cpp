// What must hold: a placement takes only free slots, exactly as many as asked or none, spreads or
// packs as told, and is the same whenever it is made of the same facts.
#include "jobmanager/scheduler/slot_placement.h"

#include <cstdlib>
#include <map>

#include <catch2/catch.hpp>

#include "common/base/random.h"

namespace weir::scheduler {
namespace {

std::vector<size_t> Chosen(PlacementPolicy policy, const std::vector<Capacity>& taskmanagers,
                           uint32_t count) {
  return Place(policy, taskmanagers, count).chosen;
}

uint64_t Seed() {
  const char* given = std::getenv("WEIR_TEST_SEED");
  return given == nullptr ? 20240501 : std::strtoull(given, nullptr, 10);
}

TEST_CASE("Spread takes turns between equal taskmanagers", "[scheduler][unit]") {
  CHECK(Chosen(PlacementPolicy::kSpread, {{4, 4}, {4, 4}}, 4) == std::vector<size_t>{0, 1, 0, 1});
}

TEST_CASE("Spread evens out what is used already", "[scheduler][unit]") {
  CHECK(Chosen(PlacementPolicy::kSpread, {{4, 1}, {4, 4}}, 3) == std::vector<size_t>{1, 1, 1});
  CHECK(Chosen(PlacementPolicy::kSpread, {{4, 1}, {4, 4}}, 5) ==
        std::vector<size_t>{1, 1, 1, 0, 1});
}

TEST_CASE("Spread fills taskmanagers in proportion to their size", "[scheduler][unit]") {
  std::map<size_t, int> taken;
  for (const size_t i : Chosen(PlacementPolicy::kSpread, {{2, 2}, {6, 6}}, 4)) ++taken[i];
  CHECK(taken == std::map<size_t, int>{{0, 1}, {1, 3}});
}

TEST_CASE("Pack takes the smallest taskmanager that holds all", "[scheduler][unit]") {
  CHECK(Chosen(PlacementPolicy::kPack, {{8, 8}, {4, 3}, {4, 4}}, 3) ==
        std::vector<size_t>{1, 1, 1});
}

TEST_CASE("Pack begins with the most room if no taskmanager holds all", "[scheduler][unit]") {
  CHECK(Chosen(PlacementPolicy::kPack, {{2, 1}, {4, 4}, {4, 3}}, 5) ==
        std::vector<size_t>{1, 1, 1, 1, 0});
}

TEST_CASE("A placement says how many slots are missing and takes none", "[scheduler][unit]") {
  for (const PlacementPolicy policy : {PlacementPolicy::kSpread, PlacementPolicy::kPack}) {
    const Placement placement = Place(policy, {{4, 1}, {4, 2}}, 5);
    CHECK(placement.chosen.empty());
    CHECK(placement.missing == 2);
    CHECK(Place(policy, {}, 3).missing == 3);
    CHECK(Place(policy, {{4, 1}, {4, 2}}, 3).chosen.size() == 3);
  }
}

TEST_CASE("Nothing free is nothing taken", "[scheduler][unit]") {
  CHECK(Chosen(PlacementPolicy::kSpread, {{4, 0}, {1, 1}}, 1) == std::vector<size_t>{1});
  CHECK(Chosen(PlacementPolicy::kPack, {{4, 0}, {1, 1}}, 1) == std::vector<size_t>{1});
  CHECK(Chosen(PlacementPolicy::kSpread, {{0, 0}, {1, 1}}, 1) == std::vector<size_t>{1});
}

TEST_CASE("Whatever is free, a placement takes exactly what was asked", "[scheduler][unit]") {
  const uint64_t seed = Seed();
  CAPTURE(seed);
  base::Random random(seed);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    std::vector<Capacity> taskmanagers(static_cast<size_t>(random.Between(0, 6)));
    uint32_t free = 0;
    for (Capacity& capacity : taskmanagers) {
      capacity.slots = static_cast<uint32_t>(random.Between(0, 8));
      capacity.free = static_cast<uint32_t>(random.Between(0, capacity.slots));
      free += capacity.free;
    }
    const uint32_t count = static_cast<uint32_t>(random.Between(1, 20));
    for (const PlacementPolicy policy : {PlacementPolicy::kSpread, PlacementPolicy::kPack}) {
      const Placement placement = Place(policy, taskmanagers, count);
      REQUIRE(placement.chosen.size() == (count <= free ? count : 0));
      REQUIRE(placement.missing == (count <= free ? 0 : count - free));
      std::vector<Capacity> left = taskmanagers;
      for (const size_t i : placement.chosen) {
        REQUIRE(left[i].free > 0);
        --left[i].free;
      }
      REQUIRE(Place(policy, taskmanagers, count).chosen == placement.chosen);
    }
  }
}

}  // namespace
}  // namespace weir::scheduler
