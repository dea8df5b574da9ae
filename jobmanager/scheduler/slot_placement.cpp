#include "jobmanager/scheduler/slot_placement.h"

#include <algorithm>

#include "common/base/check.h"

namespace weir::scheduler {
namespace {

// Is a larger part of `a` in use than of `b`? Both have slots. No fractions: exact.
bool IsUsedMore(const Capacity& a, const Capacity& b) {
  return uint64_t{a.slots - a.free} * b.slots > uint64_t{b.slots - b.free} * a.slots;
}

size_t LeastUsed(const std::vector<Capacity>& left) {
  size_t best = left.size();
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].free == 0) continue;
    if (best == left.size() || IsUsedMore(left[best], left[i])) best = i;
  }
  return best;
}

// The smallest that holds `count`, else the one with the most room.
size_t BestFit(const std::vector<Capacity>& left, uint32_t count) {
  size_t best = left.size();
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].free == 0) continue;
    if (best == left.size()) {
      best = i;
      continue;
    }
    const bool fits = left[i].free >= count;
    const bool best_fits = left[best].free >= count;
    const bool is_better = fits ? !best_fits || left[i].free < left[best].free
                                : !best_fits && left[i].free > left[best].free;
    if (is_better) best = i;
  }
  return best;
}

}  // namespace

Placement Place(PlacementPolicy policy, const std::vector<Capacity>& taskmanagers, uint32_t count) {
  Placement placement;
  uint64_t free = 0;
  for (const Capacity& capacity : taskmanagers) {
    WEIR_CHECK(capacity.free <= capacity.slots);
    free += capacity.free;
  }
  if (free < count) {
    placement.missing = count - static_cast<uint32_t>(free);
    return placement;
  }
  std::vector<Capacity> left = taskmanagers;
  placement.chosen.reserve(count);
  while (placement.chosen.size() < count) {
    const uint32_t wanted = count - static_cast<uint32_t>(placement.chosen.size());
    const bool spreads = policy == PlacementPolicy::kSpread;
    const size_t next = spreads ? LeastUsed(left) : BestFit(left, wanted);
    const uint32_t taken = spreads ? 1 : std::min(wanted, left[next].free);
    left[next].free -= taken;
    placement.chosen.insert(placement.chosen.end(), taken, next);
  }
  return placement;
}

}  // namespace weir::scheduler
