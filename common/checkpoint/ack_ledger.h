// AckLedger: which of the awaited subtasks have acknowledged one checkpoint.
// Pure bookkeeping over task numbers: no clock, no threads, no I/O.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::checkpoint {

// Most subtasks one job may run.
inline constexpr uint32_t kSubtaskCountMax = 64 * 1024;

// Life:      made when the checkpoint is triggered, dropped when it ends.
// Thread:    confined to the coordinator thread.
// Invariant: acknowledged_count_ equals the number of kAcknowledged entries.
// Invariant: once IsComplete() it stays so.
class AckLedger {
 public:
  enum class Mark : uint8_t {
    kFirst,     // awaited until now
    kRepeated,  // changes nothing: task managers resend after a reconnect
    kUnawaited  // had finished before the checkpoint began
  };

  // REQUIRES: 0 < task_count <= kSubtaskCountMax.
  explicit AckLedger(uint32_t task_count);

  // The task has finished before: it is never awaited. REQUIRES: nothing acknowledged yet.
  void SetFinished(uint32_t task);
  // REQUIRES: task < task_count.
  Mark Acknowledge(uint32_t task);

  bool IsAwaited(uint32_t task) const { return states_[task] == State::kAwaited; }
  bool HasAcknowledged(uint32_t task) const { return states_[task] == State::kAcknowledged; }
  bool IsComplete() const { return acknowledged_count_ + finished_count_ == states_.size(); }
  uint32_t acknowledged_count() const { return acknowledged_count_; }
  uint32_t finished_count() const { return finished_count_; }
  uint32_t task_count() const { return static_cast<uint32_t>(states_.size()); }

 private:
  enum class State : uint8_t { kAwaited, kAcknowledged, kFinished };

  std::vector<State> states_;
  uint32_t acknowledged_count_ = 0;
  uint32_t finished_count_ = 0;
};

}  // namespace weir::checkpoint
