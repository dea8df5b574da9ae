// Timers: event-time and processing-time timers of keyed operators, one per (key, namespace, time).
// The truth is a state table per domain, so timers are snapshotted and rescaled with the keys; the
// heap is an index over it that a restore rebuilds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/state/keyed_backend.h"

namespace weir::state {

// Ordered by time, then namespace and key, so that the order survives a restore.
struct Timer {
  EventTimeUs time_us = 0;
  int64_t name_space = 0;
  std::string key;
  uint32_t key_group = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler makes of it compares with 0
  auto operator<=>(const Timer&) const = default;
};

// What stands in front of a timer's key in its state: time and namespace.
inline constexpr size_t kTimerPrefixBytes = 2 * sizeof(int64_t);

// The state that holds the timers of that name.
StateSpec TimerSpec(const std::string& name);

// Timers of one domain (event time, or processing time) of one operator subtask.
//
// Thread:    confined to the task.
// Invariant: every timer of the table is in the heap; what is only in the heap was deleted.
class TimerQueue {
 public:
  // Registers the state `name` with `backend`, which must outlive the queue. As Register() fails.
  static absl::StatusOr<std::unique_ptr<TimerQueue>> Create(KeyedBackend& backend,
                                                            const std::string& name);

  // Registering twice is once; deleting what is not there does nothing.
  // INTERNAL: the key's group lies outside the backend's range.
  absl::Status Register(TableKey key, int64_t name_space, EventTimeUs time_us);
  absl::Status Delete(TableKey key, int64_t name_space, EventTimeUs time_us);

  // Fires the timers with time <= `now_us` in order, each removed before `fire` sees it; `fire` may
  // register and delete timers. It returns kStop to be interrupted: the timers not yet fired stay.
  // Returns whether all due timers have fired. After a restore overdue timers are due at once.
  enum class Go : uint8_t { kOn, kStop };
  absl::StatusOr<bool> AdvanceTo(EventTimeUs now_us,
                                 absl::FunctionRef<absl::StatusOr<Go>(const Timer&)> fire);

  // Earliest time of a registered timer; kEventTimeMax if there is none.
  EventTimeUs NextTime();
  uint64_t size() const { return table_->size(); }
  // Entries of the heap: the timers and, bounded, some that were deleted.
  size_t index_size() const { return heap_.size(); }

  // Rebuilds the index from the table. Call it after the backend's Restore().
  void RebuildIndex();

 private:
  explicit TimerQueue(StateTable* table) : table_(table) {}

  // Takes the earliest registered timer off the heap if its time is <= `now_us`.
  bool PopDue(EventTimeUs now_us, Timer* timer);
  // Drops what was deleted from the top of the heap.
  void SkipDeleted();
  void Push(Timer timer);
  bool IsRegistered(const Timer& timer) const;

  StateTable* const table_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> heap_;
};

}  // namespace weir::state
