#include "jobmanager/server/http/job_manager_metrics.h"

#include <map>
#include <string>

namespace weir::server {
namespace {

using metrics::MetricFamily;
using metrics::MetricKind;

// A number of each job.
struct JobMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  double (*value)(const dispatcher::JobSummary& job);
};

constexpr JobMetric kJobMetrics[] = {
    {"weir_job_restarts_total", "Times the job started again after a failure.",
     MetricKind::kCounter,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.restarts); }},
    {"weir_job_checkpoints_completed_total", "Checkpoints that completed.", MetricKind::kCounter,
     [](const dispatcher::JobSummary& job) {
       return static_cast<double>(job.checkpoints_completed);
     }},
    {"weir_job_checkpoints_failed_total", "Checkpoints that failed.", MetricKind::kCounter,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.checkpoints_failed); }},
    {"weir_job_tasks", "Subtasks the job has.", MetricKind::kGauge,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.tasks); }},
    {"weir_job_tasks_running", "Subtasks that run.", MetricKind::kGauge,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.tasks_running); }},
    {"weir_job_rows_read", "Rows that the sources have read since the job last started.",
     MetricKind::kGauge,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.rows_read); }},
    {"weir_job_rows_written", "Rows that the sinks have written since the job last started.",
     MetricKind::kGauge,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.rows_written); }},
    {"weir_job_rows_late", "Rows that came too late since the job last started.",
     MetricKind::kGauge,
     [](const dispatcher::JobSummary& job) { return static_cast<double>(job.rows_late); }},
};

MetricFamily Gauge(const char* name, const char* help, double value) {
  return {.name = name, .help = help, .samples = {{.labels = {}, .value = value}}};
}

}  // namespace

std::vector<MetricFamily> JobManagerMetrics(const dispatcher::JobApi& api) {
  const std::vector<dispatcher::JobSummary> jobs = api.List(/*ended=*/false);
  const dispatcher::ClusterDetail cluster = api.Cluster();
  std::vector<MetricFamily> families;
  double slots = 0;
  double slots_free = 0;
  for (const dispatcher::TaskManagerDetail& detail : cluster.taskmanagers) {
    slots += detail.facts.slots;
    slots_free += detail.slots_free;
  }
  std::string why;
  families.push_back(
      Gauge("weir_jobmanager_ready", "1 if it takes jobs.", api.IsReady(&why) ? 1.0 : 0.0));
  families.push_back(Gauge("weir_jobmanager_taskmanagers", "Taskmanagers that are registered.",
                           static_cast<double>(cluster.taskmanagers.size())));
  families.push_back(Gauge("weir_jobmanager_slots", "Slots of all taskmanagers.", slots));
  families.push_back(Gauge("weir_jobmanager_slots_free", "Slots that no job uses.", slots_free));
  families.push_back(
      Gauge("weir_jobmanager_jobs", "Jobs that have not ended.", static_cast<double>(jobs.size())));
  for (const JobMetric& metric : kJobMetrics) {
    MetricFamily family{.name = metric.name, .help = metric.help, .kind = metric.kind};
    for (const dispatcher::JobSummary& job : jobs) {
      family.samples.push_back({.labels = {{"job", job.name}, {"job_id", job.id.ToString()}},
                                .value = metric.value(job)});
    }
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace weir::server
