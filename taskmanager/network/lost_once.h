// LostOnce: tells the owner of a channel's end at most once that the channel broke, and never after
// the owner is gone.
#pragma once

#include <utility>

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>

#include "common/base/mutex.h"
#include "common/rpc/channel_lost.h"
#include "taskmanager/network/data_plane.h"

namespace weir::network {

// Thread: any. The callback runs under the lock, so that Disarm() waits for one that has begun; it
// must not destroy the channel's end itself.
class LostOnce {
 public:
  explicit LostOnce(ChannelLost lost) : lost_(std::move(lost)) {}

  // REQUIRES: `cause` is not OK.
  void Tell(const absl::Status& cause) {
    base::MutexLock lock(mutex_);
    if (lost_) lost_(rpc::MarkChannelLost(cause));
    lost_ = nullptr;
  }
  // From here on nobody is told.
  void Disarm() {
    base::MutexLock lock(mutex_);
    lost_ = nullptr;
  }

 private:
  base::Mutex mutex_;
  ChannelLost lost_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::network
