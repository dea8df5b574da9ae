#include "taskmanager/connectors/split_watermark.h"

#include <algorithm>

namespace weir::connectors {

EventTimeUs WatermarkOf(const std::vector<Split>& splits, int64_t delay_us) {
  EventTimeUs watermark = kEventTimeMax;
  for (const Split& split : splits) {
    if (split.is_finished) continue;
    EventTimeUs own = kEventTimeMin;
    if (split.event_time_max == kEventTimeMin ||
        __builtin_sub_overflow(split.event_time_max, delay_us, &own)) {
      return kEventTimeMin;
    }
    watermark = std::min(watermark, own);
  }
  return watermark;
}

}  // namespace weir::connectors
