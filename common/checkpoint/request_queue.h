// RequestQueue: checkpoints asked for and not yet triggered, in the order they will run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_facts.h"

namespace weir::checkpoint {

// Most requests waiting for one job.
inline constexpr size_t kRequestsQueuedMax = 1000;
// How often a request is tried again because a subtask finished while it was triggered.
inline constexpr uint32_t kTriggerRetriesMax = 3;

enum class RequestOrigin : uint8_t { kUser = 0, kPeriodic = 1 };

struct TriggerRequest {
  RequestToken token = kNobody;
  RequestOrigin origin = RequestOrigin::kUser;
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  SnapshotScope scope = SnapshotScope::kFull;
  bool forced = false;  // runs whatever else is pending
  std::string target;
  uint32_t retries_left = kTriggerRetriesMax;
};

// Order: savepoints before checkpoints, a person's before the timer's, then age.
//
// Thread:    confined to the coordinator thread.
// Invariant: at most one periodic request waits; at most `size_max` requests wait.
class RequestQueue {
 public:
  explicit RequestQueue(size_t size_max = kRequestsQueuedMax);

  // Returns the request that fell out because the queue was full: the last in order, which may be
  // `request` itself. REQUIRES: not a second periodic one.
  std::optional<TriggerRequest> Push(TriggerRequest request);
  // The next to run, or null.
  const TriggerRequest* Front() const;
  // REQUIRES: not empty.
  TriggerRequest Pop();

  bool HasPeriodic() const;
  // Removes the periodic request, if any.
  void RemovePeriodic();
  // Takes out all of them, in order.
  std::vector<TriggerRequest> Clear();

  size_t size() const { return requests_.size(); }
  bool empty() const { return requests_.empty(); }

 private:
  const size_t size_max_;
  std::vector<TriggerRequest> requests_;  // in order
};

}  // namespace weir::checkpoint
