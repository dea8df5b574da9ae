// Process limits: how much of one job a process takes on. More than this does not run slowly, it
// does not run: threads that cannot be made, memory that is not there.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/status.h>

#include "common/graph/job_graph.h"

namespace weir::task {

// Subtasks of one job in one process; each has a thread.
inline constexpr uint64_t kTasksHereMax = 4096;
// Channels into them, each with buffers of its own: where rows are dealt out by key, every subtask
// has one from every subtask of the step before, so they grow with the square of the parallelism.
inline constexpr uint64_t kChannelsHereMax = uint64_t{1} << 20;

// `tasks_here`: by vertex, how many of its subtasks are to run in this process.
// INVALID_ARGUMENT: says what there would be too much of, and what to do.
absl::Status CheckFitsProcess(const graph::JobGraph& graph,
                              const std::vector<uint32_t>& tasks_here);

}  // namespace weir::task
