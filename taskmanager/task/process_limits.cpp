#include "taskmanager/task/process_limits.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::task {
namespace {

constexpr StringView kAdvice =
    "; lower settings.parallelism, or run the job on more taskmanagers with fewer slots each";

}  // namespace

absl::Status CheckFitsProcess(const graph::JobGraph& graph,
                              const std::vector<uint32_t>& tasks_here) {
  WEIR_CHECK(tasks_here.size() == graph.vertices.size());
  uint64_t tasks = 0;
  uint64_t channels = 0;
  for (size_t i = 0; i < tasks_here.size(); ++i) {
    tasks += tasks_here[i];
    for (const graph::EdgeIndex input : graph.vertices[i].inputs) {
      const graph::JobEdge& edge = graph.edges[input];
      const bool is_forward = edge.partitioning == graph::Partitioning::kForward;
      channels += tasks_here[i] *
                  (is_forward ? uint64_t{1} : uint64_t{graph.vertices[edge.from].parallelism});
    }
  }
  if (tasks > kTasksHereMax) {
    return absl::InvalidArgumentError(absl::StrCat("the job would run ", tasks,
                                                   " subtasks in one process, of at most ",
                                                   kTasksHereMax, kAdvice));
  }
  if (channels > kChannelsHereMax) {
    return absl::InvalidArgumentError(absl::StrCat("the job would have ", channels,
                                                   " channels between subtasks in one process, "
                                                   "of at most ",
                                                   kChannelsHereMax, kAdvice));
  }
  return absl::OkStatus();
}

}  // namespace weir::task
