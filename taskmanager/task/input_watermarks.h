// InputWatermarks: the watermark of a task with several input channels. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/ids.h"

namespace weir::task {

// The least watermark of the channels that count: those neither idle nor ended. When all that have
// not ended are idle it is the greatest of theirs; when all have ended it is the maximum.
//
// Thread:    confined to the task's thread.
// Invariant: the combined watermark never goes back.
class InputWatermarks {
 public:
  explicit InputWatermarks(size_t channels) : channels_(channels), counting_(channels) {}

  // Each returns the combined watermark if it moved on.
  std::optional<EventTimeUs> OnWatermark(size_t channel, EventTimeUs time);
  std::optional<EventTimeUs> OnIdleness(size_t channel, bool is_idle);
  std::optional<EventTimeUs> OnEnd(size_t channel);

  EventTimeUs current() const { return current_; }
  // Every channel that has not ended is idle (and one has not).
  bool IsIdle() const { return counting_ == 0 && ended_ < channels_.size(); }
  bool HasEnded() const { return ended_ == channels_.size(); }

 private:
  struct Channel {
    EventTimeUs time = kEventTimeMin;
    bool is_idle = false;
    bool has_ended = false;
    bool Counts() const { return !is_idle && !has_ended; }
  };
  std::optional<EventTimeUs> Combine();

  std::vector<Channel> channels_;
  size_t counting_;
  size_t ended_ = 0;
  EventTimeUs current_ = kEventTimeMin;
};

}  // namespace weir::task
