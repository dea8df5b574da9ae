// Slot placement: on which taskmanagers the slots of a job are taken. Pure and deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::scheduler {

enum class PlacementPolicy : uint8_t {
  kSpread,  // every taskmanager is used as evenly as can be
  kPack,    // as few taskmanagers as can be, so that others stay empty
};

// What one taskmanager has.
struct Capacity {
  uint32_t slots = 0;
  uint32_t free = 0;  // at most `slots`
};

struct Placement {
  // Index of the taskmanager of each slot, in the order they are to be used; empty if not all fit.
  std::vector<size_t> chosen;
  uint32_t missing = 0;  // slots that would have to be free in addition
};

// `count` slots out of `taskmanagers`; among equals the one named first wins.
//
// kSpread takes one slot at a time from the taskmanager that is used least for its size, so that
// neighbouring slots lie apart. kPack fills one taskmanager after the other: the smallest that can
// hold all that is left, else the one with the most room.
Placement Place(PlacementPolicy policy, const std::vector<Capacity>& taskmanagers, uint32_t count);

}  // namespace weir::scheduler
