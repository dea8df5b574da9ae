// EndedIds: the last ids that left the pending ones, and how.
// It is what tells a late acknowledgement's state apart: discard it, or leave it alone.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "common/base/ids.h"

namespace weir::checkpoint {

// Most ended ids remembered. A late message is at most some timeouts old; an older one is unknown
// and deletes nothing.
inline constexpr size_t kEndedIdsMax = 16;

struct EndedId {
  CheckpointId id = kNoCheckpoint;
  bool completed = false;
  std::string location;
};

// Thread:    confined to the coordinator thread.
// Invariant: at most kEndedIdsMax entries, each id once; the oldest goes first.
class EndedIds {
 public:
  // REQUIRES: `ended.id` is not remembered.
  void Remember(EndedId ended);
  // Null: not remembered.
  const EndedId* Find(CheckpointId id) const;
  size_t size() const { return ended_.size(); }

 private:
  std::deque<EndedId> ended_;
};

}  // namespace weir::checkpoint
