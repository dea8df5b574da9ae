// Timers: event-time and processing-time timers of keyed operators, one per (key, namespace, time).
// The truth is a state table per domain, so timers are snapshotted and rescaled with the keys; the
// heap is an index over it that a restore rebuilds.
#pragma once

#include <compare>
#include <cstdint>
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
  int64_t time_us = 0;
  int64_t name_space = 0;
  std::string key;
  uint32_t key_group = 0;

  auto operator<=>(const Timer&) const = default;
};

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
  absl::Status Register(TableKey key, int64_t name_space, int64_t time_us);
  absl::Status Delete(TableKey key, int64_t name_space, int64_t time_us);

  // Fires the timers with time <= `now_us` in order, each removed before `fire` sees it; `fire` may
  // register and delete timers. It returns kStop to be interrupted: the timers not yet fired stay.
  // Returns whether all due timers have fired. After a restore overdue timers are due at once.
  enum class Go : uint8_t { kOn, kStop };
  absl::StatusOr<bool> AdvanceTo(int64_t now_us,
                                 absl::FunctionRef<absl::StatusOr<Go>(const Timer&)> fire);

  // Earliest time of a registered timer; INT64_MAX if there is none.
  int64_t NextTime();
  uint64_t size() const { return table_->size(); }

  // Rebuilds the index from the table. Call it after the backend's Restore().
  void RebuildIndex();

 private:
  explicit TimerQueue(StateTable* table) : table_(table) {}

  bool IsRegistered(const Timer& timer) const;
  absl::Status Remove(const Timer& timer);

  StateTable* const table_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> heap_;
};

}  // namespace weir::state
