// What must hold: health tells life from readiness; metrics name job, attempt and node.
#include "taskmanager/server/http/task_manager_routes.h"

#include <optional>
#include <string>

#include <catch2/catch.hpp>

namespace weir::server {
namespace {

rpc::HttpResponse Ask(const TaskManagerRoutes& routes, const std::string& method,
                      const std::string& path) {
  std::optional<rpc::HttpResponse> answer;
  routes.Handle({.method = method, .path = path},
                [&answer](rpc::HttpResponse response) { answer = std::move(response); });
  REQUIRE(answer.has_value());
  return *answer;
}

TEST_CASE("a taskmanager is ready while a jobmanager knows it", "[server][unit]") {
  bool is_registered = false;
  const TaskManagerRoutes routes({.report = [] { return rpc::TaskManagerReport{}; },
                                  .is_registered = [&is_registered] { return is_registered; }});
  CHECK(Ask(routes, "GET", "/livez").status == 200);
  CHECK(Ask(routes, "GET", "/readyz").status == 503);
  is_registered = true;
  CHECK(Ask(routes, "GET", "/readyz").status == 200);
  CHECK(Ask(routes, "GET", "/other").status == 404);
  CHECK(Ask(routes, "POST", "/metrics").status == 405);
}

TEST_CASE("a taskmanager counts the rows of each node", "[server][unit]") {
  const TaskManagerRoutes routes(
      {.report =
           [] {
             rpc::TaskManagerReport report{.resident_bytes = 42};
             report.tasks.push_back({.job = {0, 1},
                                     .attempt = {0, 2},
                                     .operators = {{.node = 3, .rows_in = 5, .rows_late = 6}}});
             return report;
           },
       .is_registered = [] { return true; }});
  const std::string text = Ask(routes, "GET", "/metrics").body;
  const std::string labels =
      "{job_id=\"00000000000000000000000000000001\",attempt=\"00000000000000000000000000000002\","
      "node=\"3\"}";
  CHECK_THAT(text, Catch::Contains("weir_task_rows_in_total" + labels + " 5\n"));
  CHECK_THAT(text, Catch::Contains("weir_task_rows_late_total" + labels + " 6\n"));
  CHECK_THAT(text, Catch::Contains("weir_taskmanager_resident_bytes 42\n"));
}

}  // namespace
}  // namespace weir::server
