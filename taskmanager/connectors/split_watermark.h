// SplitWatermark: a source's watermark from how far each of its splits has been read.
// Each split has its own: the highest event time it gave, less the delay. The source's is the
// lowest of those of its unfinished splits. A split that has given no row yet holds it back,
// because nothing is known of its rows; a finished one does not. File splits are read one after the
// other, so the watermark of a subtask with several of them stands still until the last is being
// read: it costs state, never a row that comes too late. A file below twice the smallest split has
// one split, and its watermark moves from the first row on. Pure.
#pragma once

#include <vector>

#include "common/base/ids.h"
#include "taskmanager/connectors/split.h"

namespace weir::connectors {

// kEventTimeMin: not known yet. kEventTimeMax: every split is finished.
EventTimeUs WatermarkOf(const std::vector<Split>& splits, int64_t delay_us);

}  // namespace weir::connectors
