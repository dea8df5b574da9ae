// SubtaskContext: what one subtask's operator is given: who it is, its state, its counters.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/fs/file_system.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"

namespace weir::operators {

// Counters of one operator's subtask. Written by its task thread only, read by any: relaxed order
// is enough because no reader draws conclusions from two of them.
struct OperatorMetrics {
  std::atomic<int64_t> rows_in{0};
  std::atomic<int64_t> rows_out{0};
  std::atomic<int64_t> rows_late{0};            // dropped: every window had closed
  std::atomic<int64_t> rows_partially_late{0};  // missed some of their windows
  std::atomic<int64_t> rows_skipped{0};         // on_error: skip
  std::atomic<int64_t> deletes_dropped{0};      // changelog: insert_only

  static void Add(std::atomic<int64_t>& counter, int64_t n) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

// Life: outlives the OperatorState made with it. Thread: the task's.
struct SubtaskContext {
  JobId job;
  AttemptId attempt;
  uint32_t attempt_number = 0;  // distinct for each start of the job, for names of files
  std::string node_id;          // the operator's id, for messages
  uint32_t subtask = 0;
  uint32_t parallelism = 1;
  uint32_t max_parallelism = 128;
  CheckpointId restored = kNoCheckpoint;  // the checkpoint state comes from, if any
  state::KeyedBackend& keyed;
  state::OperatorState& lists;
  OperatorMetrics& metrics;
  const base::Clock& clock;
  fs::FileSystem& files;
};

}  // namespace weir::operators
