// What must hold: a job that a process cannot carry is refused with what to do, and one at the
// limit is not.
#include "taskmanager/task/process_limits.h"

#include <catch2/catch.hpp>

namespace weir::task {
namespace {

// A source whose rows are dealt out by key to a step, whose rows go on to a sink one to one.
graph::JobGraph KeyedJob(uint32_t parallelism) {
  graph::JobGraph graph;
  graph.vertices.resize(3);
  for (graph::JobVertex& vertex : graph.vertices) vertex.parallelism = parallelism;
  graph.edges = {{.from = 0, .to = 1, .partitioning = graph::Partitioning::kHash, .key = {0}},
                 {.from = 1, .to = 2}};
  graph.vertices[1].inputs = {0};
  graph.vertices[2].inputs = {1};
  return graph;
}

TEST_CASE("A process takes 4096 subtasks of a job and not one more", "[task][unit]") {
  CHECK(CheckFitsProcess(KeyedJob(100), {1000, 0, 3096}).ok());
  const absl::Status refused = CheckFitsProcess(KeyedJob(100), {1000, 0, 3097});
  CHECK(absl::IsInvalidArgument(refused));
  CHECK(refused.message() ==
        "the job would run 4097 subtasks in one process, of at most 4096; lower "
        "settings.parallelism, or run the job on more taskmanagers with fewer slots each");
}

TEST_CASE("A process takes a million channels and not one more", "[task][unit]") {
  // 1023 * 1024 channels by key, and one to one for the rest of what fits.
  CHECK(CheckFitsProcess(KeyedJob(1024), {1024, 1023, 1024}).ok());
  const absl::Status refused = CheckFitsProcess(KeyedJob(1024), {1024, 1023, 1025});
  CHECK(absl::IsInvalidArgument(refused));
  CHECK(refused.message().find("1048577 channels between subtasks") != StringView::npos);
}

TEST_CASE("Subtasks in other processes do not count", "[task][unit]") {
  CHECK(CheckFitsProcess(KeyedJob(10'000), {20, 20, 20}).ok());
  CHECK_FALSE(CheckFitsProcess(KeyedJob(10'000), {10'000, 10'000, 10'000}).ok());
}

}  // namespace
}  // namespace weir::task
