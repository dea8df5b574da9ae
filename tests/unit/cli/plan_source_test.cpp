// What must hold: a descriptor travels with the variables it asks for and no others, and another
// process plans the same from them.
#include "cli/plan_source.h"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"

namespace weir::cli {
namespace {

constexpr char kDescriptor[] = R"(weir: 1
name: ${PLAN_SOURCE_NAME}
sources:
  lines: {connector: file, options: {path: "${PLAN_SOURCE_PATH:-in.txt}"}, format: text}
sinks:
  out: {connector: stdout, input: lines}
)";

TEST_CASE("PlanSource carries the variables that were asked for", "[cli][unit]") {
  std::string directory = "/tmp/weir-plan-source-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const std::string path = directory + "/job.yaml";
  fs::LocalFileSystem files;
  REQUIRE(fs::PublishFile(files, path, kDescriptor).ok());
  REQUIRE(setenv("PLAN_SOURCE_NAME", "named", 1) == 0);
  REQUIRE(setenv("PLAN_SOURCE_SECRET", "secret", 1) == 0);

  const absl::StatusOr<PlannedSource> planned = PlanSource(path, 3);
  REQUIRE(planned.ok());
  REQUIRE(planned->result.plan != nullptr);
  CHECK(planned->source.variables ==
        std::map<std::string, std::string>{{"PLAN_SOURCE_NAME", "named"}});

  REQUIRE(unsetenv("PLAN_SOURCE_NAME") == 0);
  const graph::PlanResult again = graph::MakePlan(graph::RequestOf(planned->source));
  REQUIRE(again.plan != nullptr);
  CHECK(again.plan->name == "named");
  CHECK(again.plan->settings.parallelism == 3);
  CHECK(files.RemoveTree(directory).ok());
}

TEST_CASE("PlanSource of a missing file says so", "[cli][unit]") {
  CHECK(absl::IsNotFound(PlanSource("/nonexistent/job.yaml", absl::nullopt).status()));
}

}  // namespace
}  // namespace weir::cli
