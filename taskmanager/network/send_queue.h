// SendQueue: what a producing task has pushed into a channel and the network has not delivered yet,
// as frames. Elements are encoded on the producer's thread, so that the network's thread only moves
// bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mailbox.h"
#include "common/base/mutex.h"
#include "taskmanager/network/stream_element.h"

namespace weir::network {

enum class NextStep : uint8_t {
  kWait,   // for more elements, or for an acknowledgement
  kSend,   // TakeFrames() has some
  kClose,  // everything is delivered and nothing follows
};

// Thread:    Push(), HasRoom() and IsIdle() from the producing task; Detach() from the thread that
//            destroys the sender; the rest from the network loop.
// Invariant: frames_ but the last are full or as full as their elements allow.
class SendQueue {
 public:
  // `window_bytes` may wait and be under way together. `producer` is poked when that has drained to
  // half after HasRoom() said no; it outlives the queue or calls Detach().
  SendQueue(size_t window_bytes, base::Mailbox& producer);

  // Never refused. True: the loop has something to do.
  bool Push(const StreamElement& element);
  bool HasRoom();
  bool IsIdle();
  // The producer is not poked any more. True: a Close was the last it pushed.
  bool Detach();

  // What the loop should do now. A frame leaves when it is full, when nothing is under way, and at
  // once if a barrier, a cancellation or an end is in it; but never beyond the window.
  NextStep Next();
  // Frames to send together, the first of them due. REQUIRES: Next() is kSend. They are under way
  // from here on.
  std::vector<std::string> TakeFrames();
  // They were delivered; their memory is used for later ones. They come back in order.
  void Acknowledge(std::vector<std::string> frames);
  // The channel is over: drops what waits and what comes, and frees the producer.
  void Fail();

 private:
  struct Frame {
    std::string bytes;
    bool is_urgent = false;
  };

  void Append(std::string element, bool is_urgent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  NextStep NextLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Recycle(std::string memory) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string TakeSpare() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PokeIfDrained() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t window_bytes_;
  std::string scratch_;  // the producing task's: the element being encoded

  base::Mutex mutex_;
  base::Mailbox* producer_ ABSL_GUARDED_BY(mutex_);  // null: detached
  std::deque<Frame> frames_ ABSL_GUARDED_BY(mutex_);
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t in_flight_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> spares_ ABSL_GUARDED_BY(mutex_);
  size_t spare_bytes_ ABSL_GUARDED_BY(mutex_) = 0;   // of their capacity
  bool is_waiting_ ABSL_GUARDED_BY(mutex_) = false;  // HasRoom() said no
  bool is_closing_ ABSL_GUARDED_BY(mutex_) = false;  // Close was pushed
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::network
