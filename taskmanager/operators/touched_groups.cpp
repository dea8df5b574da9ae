#include "taskmanager/operators/touched_groups.h"

#include "common/base/check.h"
#include "common/types/record_batch.h"

namespace weir::operators {
namespace {

constexpr uint16_t kFree = UINT16_MAX;
constexpr int kSlotBits = 12;
constexpr size_t kSlotCount = size_t{1} << kSlotBits;
static_assert(kSlotCount >= 2 * types::kBatchRowsMax, "a probe ends soon");

}  // namespace

TouchedGroups::TouchedGroups()
    : accumulators_(types::kBatchRowsMax),
      first_rows_(types::kBatchRowsMax),
      is_new_(types::kBatchRowsMax),
      used_slots_(types::kBatchRowsMax),
      slots_(kSlotCount, kFree) {
}

size_t TouchedGroups::SlotOf(ConstAccumulator accumulator) {
  const uint64_t bits = reinterpret_cast<uintptr_t>(accumulator);
  return (bits * 0x9e3779b97f4a7c15ull) >> (64 - kSlotBits);
}

void TouchedGroups::Collect(absl::Span<const Accumulator> accumulators,
                            absl::Span<const uint8_t> inserted) {
  WEIR_CHECK(accumulators.size() <= types::kBatchRowsMax);
  for (size_t i = 0; i < size_; ++i) slots_[used_slots_[i]] = kFree;
  size_t size = 0;
  for (size_t i = 0; i < accumulators.size(); ++i) {
    const Accumulator accumulator = accumulators[i];
    size_t slot = SlotOf(accumulator);
    while (slots_[slot] != kFree && accumulators_[slots_[slot]] != accumulator) {
      slot = (slot + 1) % kSlotCount;
    }
    if (slots_[slot] != kFree) continue;
    slots_[slot] = static_cast<uint16_t>(size);
    used_slots_[size] = static_cast<uint16_t>(slot);
    accumulators_[size] = accumulator;
    first_rows_[size] = static_cast<uint32_t>(i);
    is_new_[size] = inserted[i];
    ++size;
  }
  size_ = size;
}

size_t TouchedGroups::IndexOf(ConstAccumulator accumulator) const {
  size_t slot = SlotOf(accumulator);
  while (accumulators_[slots_[slot]] != accumulator) slot = (slot + 1) % kSlotCount;
  return slots_[slot];
}

}  // namespace weir::operators
