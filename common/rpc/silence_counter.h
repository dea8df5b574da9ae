// SilenceCounter: when silence means loss. Counts ticks of a timer instead of time, so that a
// process that was stopped for a while does not blame its peer for its own absence.
#pragma once

#include <cstdint>

namespace weir::rpc {

// Pure. Thread: confined to one thread.
class SilenceCounter {
 public:
  // REQUIRES: ticks_max > 0.
  explicit SilenceCounter(uint32_t ticks_max) : ticks_max_(ticks_max) {}

  void Heard() { ticks_ = 0; }
  // One more tick has passed. True: too many without a word.
  bool Tick() { return ++ticks_ >= ticks_max_; }

 private:
  const uint32_t ticks_max_;
  uint32_t ticks_ = 0;
};

}  // namespace weir::rpc
