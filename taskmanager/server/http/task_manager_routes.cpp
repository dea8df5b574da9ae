#include "taskmanager/server/http/task_manager_routes.h"

#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/metrics/metric_text.h"

namespace weir::server {
namespace {

using metrics::MetricFamily;
using metrics::MetricKind;

// A number of each operator's subtask.
struct OperatorMetric {
  const char* name;
  const char* help;
  int64_t rpc::OperatorCounts::*member;
};

constexpr OperatorMetric kOperatorMetrics[] = {
    {"weir_task_rows_in_total", "Rows that came in.", &rpc::OperatorCounts::rows_in},
    {"weir_task_rows_out_total", "Rows that went out.", &rpc::OperatorCounts::rows_out},
    {"weir_task_rows_late_total", "Rows dropped because every window had closed.",
     &rpc::OperatorCounts::rows_late},
    {"weir_task_rows_skipped_total", "Rows skipped by on_error: skip.",
     &rpc::OperatorCounts::rows_skipped},
};

MetricFamily Gauge(const char* name, const char* help, double value) {
  return {.name = name, .help = help, .samples = {{.labels = {}, .value = value}}};
}

std::vector<MetricFamily> FamiliesOf(const rpc::TaskManagerReport& report, bool is_registered) {
  std::vector<MetricFamily> families;
  families.push_back(Gauge("weir_taskmanager_registered", "1 if a jobmanager knows it.",
                           is_registered ? 1.0 : 0.0));
  families.push_back(Gauge("weir_taskmanager_tasks", "Tasks it holds, ended ones included.",
                           static_cast<double>(report.tasks.size())));
  families.push_back(Gauge("weir_taskmanager_resident_bytes", "Memory of the process.",
                           static_cast<double>(report.resident_bytes)));
  for (const OperatorMetric& metric : kOperatorMetrics) {
    MetricFamily family{.name = metric.name, .help = metric.help, .kind = MetricKind::kCounter};
    for (const rpc::TaskCounts& task : report.tasks) {
      for (const rpc::OperatorCounts& counts : task.operators) {
        family.samples.push_back({.labels = {{"job_id", task.job.ToString()},
                                             {"attempt", task.attempt.ToString()},
                                             {"node", absl::StrCat(counts.node)}},
                                  .value = static_cast<double>(counts.*metric.member)});
      }
    }
    families.push_back(std::move(family));
  }
  return families;
}

rpc::HttpResponse TextResponse(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text)};
}

}  // namespace

void TaskManagerRoutes::Handle(const rpc::HttpRequest& request, rpc::HttpRespond respond) const {
  if (request.method != "GET" && request.method != "HEAD") {
    return respond(TextResponse(405, "a taskmanager only answers questions\n"));
  }
  if (request.path == "/livez") return respond(TextResponse(200, "alive\n"));
  if (request.path == "/readyz") {
    if (view_.is_registered()) return respond(TextResponse(200, "ready\n"));
    return respond(TextResponse(503, "not ready: no jobmanager knows this taskmanager yet\n"));
  }
  if (request.path == "/metrics") {
    return respond(
        {.content_type = metrics::kMetricContentType,
         .body = metrics::RenderMetrics(FamiliesOf(view_.report(), view_.is_registered()))});
  }
  respond(TextResponse(404, "there are /livez, /readyz and /metrics\n"));
}

}  // namespace weir::server
