// WindowAssigner: which windows, and which slice of them, an event time falls in.
// A slice is the time between two neighbouring window bounds: every window is a run of whole
// slices, so a row is added to one slice however many windows it is in. If the slide divides the
// size, slices are as long as the slide; otherwise there are two per slide.
// Pure arithmetic; every function is free of overflow for all timestamps.
#pragma once

#include <cstdint>

#include "common/base/ids.h"
#include "common/graph/steps/specs.h"
#include "common/types/datetime.h"

namespace weir::operators {

// Longest window.
inline constexpr int64_t kWindowSizeUsMax = INT64_MAX / 64;
static_assert(types::kTimestampMax < INT64_MAX - 4 * kWindowSizeUsMax &&
                  types::kTimestampMin > INT64_MIN + 4 * kWindowSizeUsMax,
              "the bounds of a timestamp's windows fit int64");

// Times in [start, end); the windows that contain it end at first_window_end, then every slide
// up to last_window_end.
struct Slice {
  int64_t start = 0;
  int64_t end = 0;
  int64_t first_window_end = 0;
  int64_t last_window_end = 0;

  bool operator==(const Slice&) const = default;
  bool Contains(EventTimeUs time) const { return start <= time && time < end; }
};

// Immutable.
class WindowAssigner {
 public:
  // REQUIRES: 0 < slide <= size <= kWindowSizeUsMax; 0 <= offset < slide.
  explicit WindowAssigner(const graph::WindowSpec& spec)
      : size_(spec.size_us),
        slide_(spec.slide_us),
        start_grid_(spec.offset_us),
        end_grid_(spec.offset_us + spec.size_us % spec.slide_us) {}

  int64_t size() const { return size_; }
  int64_t slide() const { return slide_; }
  // Each slice is one window: nothing is ever merged.
  bool IsTumbling() const { return size_ == slide_; }

  // True if all bounds of the windows that contain `time` are timestamps themselves, so that they
  // can be written and read.
  bool Covers(EventTimeUs time) const {
    if (!types::IsTimestampInRange(time)) return false;
    const Slice slice = SliceOf(time);
    return types::IsTimestampInRange(slice.first_window_end - size_) &&
           types::IsTimestampInRange(slice.last_window_end);
  }

  // REQUIRES: `time` is a timestamp (types::kTimestampMin..Max).
  Slice SliceOf(EventTimeUs time) const {
    const int64_t window = FloorTo(time, start_grid_);
    Slice slice;
    slice.start = window;
    slice.end = window + slide_;
    if (end_grid_ != start_grid_) {
      const int64_t bound = FloorTo(time, end_grid_);
      slice.start = bound > window ? bound : window;
      slice.end = bound + slide_ < slice.end ? bound + slide_ : slice.end;
    }
    slice.first_window_end = FloorTo(time - size_, start_grid_) + slide_ + size_;
    slice.last_window_end = window + size_;
    return slice;
  }

 private:
  // The greatest grid + n * slide that is not above `time`.
  int64_t FloorTo(int64_t time, int64_t grid) const {
    int64_t rest = (time - grid) % slide_;
    if (rest < 0) rest += slide_;
    return time - rest;
  }

  int64_t size_;
  int64_t slide_;
  int64_t start_grid_;  // window starts are start_grid_ + n * slide_
  int64_t end_grid_;    // window ends are congruent to it
};

}  // namespace weir::operators
