#include "taskmanager/task/input_watermarks.h"

#include <algorithm>

namespace weir::task {

std::optional<EventTimeUs> InputWatermarks::OnWatermark(size_t channel, EventTimeUs time) {
  Channel& source = channels_[channel];
  source.time = std::max(source.time, time);
  return Combine();
}

std::optional<EventTimeUs> InputWatermarks::OnIdleness(size_t channel, bool is_idle) {
  Channel& source = channels_[channel];
  if (source.has_ended || source.is_idle == is_idle) return std::nullopt;
  source.is_idle = is_idle;
  counting_ += is_idle ? size_t{0} - 1 : size_t{1};
  return Combine();
}

std::optional<EventTimeUs> InputWatermarks::OnEnd(size_t channel) {
  Channel& source = channels_[channel];
  if (source.has_ended) return std::nullopt;
  if (source.Counts()) --counting_;
  source.has_ended = true;
  ++ended_;
  return Combine();
}

std::optional<EventTimeUs> InputWatermarks::Combine() {
  EventTimeUs combined = kEventTimeMax;
  if (counting_ > 0) {
    for (const Channel& channel : channels_) {
      if (channel.Counts()) combined = std::min(combined, channel.time);
    }
  } else if (!HasEnded()) {
    combined = kEventTimeMin;
    for (const Channel& channel : channels_) {
      if (!channel.has_ended) combined = std::max(combined, channel.time);
    }
  }
  if (combined <= current_) return std::nullopt;
  current_ = combined;
  return combined;
}

}  // namespace weir::task
