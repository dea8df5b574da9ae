#include "jobmanager/server/http/job_manager_metrics.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace weir::server {
namespace {

using dispatcher::JobSummary;
using metrics::MetricFamily;
using metrics::MetricKind;

// A number of each job. Without a value the job has no sample.
struct JobMetric {
  const char* name;
  const char* help;
  MetricKind kind;
  std::optional<double> (*value)(const JobSummary& job);
};

template <auto member>
std::optional<double> Count(const JobSummary& job) {
  return static_cast<double>(job.*member);
}

std::optional<double> CompletedAt(const JobSummary& job) {
  if (job.completed_at == absl::InfinitePast()) return std::nullopt;
  return static_cast<double>(absl::ToUnixMillis(job.completed_at)) / 1000;
}

std::optional<double> CompletedIn(const JobSummary& job) {
  if (job.completed_in == absl::ZeroDuration()) return std::nullopt;
  return absl::ToDoubleSeconds(job.completed_in);
}

std::optional<double> CompletedBytes(const JobSummary& job) {
  if (job.completed_in == absl::ZeroDuration()) return std::nullopt;
  return static_cast<double>(job.completed_bytes);
}

// docs/operations/metrics.md lists them for people.
constexpr JobMetric kJobMetrics[] = {
    {"weir_job_restarts_total", "Times the job started again after a failure.",
     MetricKind::kCounter, Count<&JobSummary::restarts>},
    {"weir_job_checkpoints_completed_total", "Checkpoints that completed.", MetricKind::kCounter,
     Count<&JobSummary::checkpoints_completed>},
    {"weir_job_checkpoints_failed_total", "Checkpoints that failed.", MetricKind::kCounter,
     Count<&JobSummary::checkpoints_failed>},
    {"weir_job_last_checkpoint_timestamp_seconds",
     "When the newest checkpoint completed, in seconds since 1970.", MetricKind::kGauge,
     CompletedAt},
    {"weir_job_last_checkpoint_duration_seconds", "How long the newest checkpoint took.",
     MetricKind::kGauge, CompletedIn},
    {"weir_job_last_checkpoint_state_bytes", "State in the newest checkpoint.", MetricKind::kGauge,
     CompletedBytes},
    {"weir_job_tasks", "Subtasks the job has.", MetricKind::kGauge, Count<&JobSummary::tasks>},
    {"weir_job_tasks_running", "Subtasks that run.", MetricKind::kGauge,
     Count<&JobSummary::tasks_running>},
    {"weir_job_rows_read", "Rows that the sources have read since the job last started.",
     MetricKind::kGauge, Count<&JobSummary::rows_read>},
    {"weir_job_rows_written", "Rows that the sinks have written since the job last started.",
     MetricKind::kGauge, Count<&JobSummary::rows_written>},
    {"weir_job_rows_late", "Rows that came too late since the job last started.",
     MetricKind::kGauge, Count<&JobSummary::rows_late>},
    {"weir_job_rows_skipped", "Rows that on_error: skip dropped since the job last started.",
     MetricKind::kGauge, Count<&JobSummary::rows_skipped>},
};

MetricFamily Gauge(const char* name, const char* help, double value) {
  return {.name = name, .help = help, .samples = {{.labels = {}, .value = value}}};
}

// Of all states, so that a number that falls to zero is seen to.
MetricFamily JobsByState(const std::vector<JobSummary>& jobs) {
  std::array<int, job::kJobStateCount> counts{};
  for (const JobSummary& job : jobs) ++counts[static_cast<size_t>(job.state)];
  MetricFamily family{.name = "weir_jobmanager_jobs", .help = "Jobs that `weir list -a` shows."};
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string state(job::ToString(static_cast<job::JobState>(i)));
    family.samples.push_back(
        {.labels = {{"state", state}}, .value = static_cast<double>(counts[i])});
  }
  return family;
}

MetricFamily OfJobs(const JobMetric& metric, const std::vector<JobSummary>& jobs) {
  MetricFamily family{.name = metric.name, .help = metric.help, .kind = metric.kind};
  for (const JobSummary& job : jobs) {
    const std::optional<double> value = metric.value(job);
    if (!value.has_value()) continue;
    family.samples.push_back(
        {.labels = {{"job", job.name}, {"job_id", job.id.ToString()}}, .value = *value});
  }
  return family;
}

}  // namespace

std::vector<MetricFamily> JobManagerMetrics(const dispatcher::JobApi& api) {
  const std::vector<JobSummary> all = api.List(/*ended=*/true);
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
  families.push_back(JobsByState(all));
  std::vector<JobSummary> jobs;
  for (const JobSummary& job : all) {
    if (!job::HasEnded(job.state)) jobs.push_back(job);
  }
  for (const JobMetric& metric : kJobMetrics) families.push_back(OfJobs(metric, jobs));
  return families;
}

}  // namespace weir::server
