#include "jobmanager/dispatcher/managed_job.h"

#include <utility>
#include <variant>

#include "common/base/check.h"
#include "jobmanager/dispatcher/job_details.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

job::JobState StateOf(coordination::JobEnd end) {
  switch (end) {
    case coordination::JobEnd::kFinished:
      return JobState::kFinished;
    case coordination::JobEnd::kCanceled:
      return JobState::kCanceled;
    case coordination::JobEnd::kFailed:
      return JobState::kFailed;
    case coordination::JobEnd::kSuspended:
      return JobState::kSuspended;
  }
  return JobState::kFailed;
}

// Stored times are whole microseconds.
absl::Time Whole(absl::Time time) {
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return time;
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

void AddCounts(const rpc::OperatorCounts& counts, rpc::OperatorCounts* sum) {
  sum->rows_in += counts.rows_in;
  sum->rows_out += counts.rows_out;
  sum->rows_late += counts.rows_late;
  sum->rows_partially_late += counts.rows_partially_late;
  sum->rows_skipped += counts.rows_skipped;
  sum->deletes_dropped += counts.deletes_dropped;
}

}  // namespace

ManagedJob::ManagedJob(coordination::StoredJob stored, PlannedJob planned, JobStores stores,
                       const JobMaking& making)
    : request_id_(stored.request_id),
      description_(planned.plan->description),
      plan_(planned.plan),
      stores_(std::make_shared<JobStores>(std::move(stores))),
      io_(std::make_unique<KeepingExecutor>(making.io, stores_)) {
  summary_.id = stored.id;
  summary_.name = stored.name;
  summary_.submitted_at = stored.submitted_at;
  summary_.parallelism = job::SlotsOf(*planned.graph);
  for (const graph::JobVertex& vertex : planned.graph->vertices) {
    summary_.tasks += vertex.parallelism;
  }
  job_ = std::make_unique<job::Job>(
      job::JobDescription{.id = stored.id,
                          .epoch = making.epoch,
                          .source = std::move(stored.source),
                          .plan = std::move(planned.plan),
                          .graph = std::move(planned.graph),
                          .restart = planned.restart,
                          .started_by = making.started_by,
                          .seed = making.seed},
      job::JobServices{
          .checkpoints = {making.clock, making.timers, *io_, making.loop, *stores_->storage,
                          *stores_->counter, *stores_->checkpoints, making.tasks},
          .sinks = making.sinks,
          .slots = making.slots});
}

ManagedJob::ManagedJob(const coordination::EndedJob& ended) : request_id_(ended.request_id) {
  summary_.id = ended.id;
  summary_.name = ended.name;
  summary_.state = StateOf(ended.end);
  summary_.parallelism = ended.parallelism;
  summary_.tasks = ended.tasks;
  summary_.submitted_at = ended.submitted_at;
  summary_.started_at = ended.started_at;
  summary_.ended_at = ended.ended_at;
  summary_.restarts = ended.restarts;
  summary_.has_counts = false;
  summary_.completed = ended.last_checkpoint;
  summary_.cause = ended.message;
}

ManagedJob::~ManagedJob() = default;

job::JobState ManagedJob::state() const {
  return job_ == nullptr ? summary_.state : job_->lifecycle().state();
}

void ManagedJob::OnStateChanged(JobState to) {
  WEIR_CHECK(job_ != nullptr);
  if (to != JobState::kRunning) return;
  if (summary_.started_at == absl::InfinitePast()) {
    summary_.started_at = job_->lifecycle().EnteredAt(to);
  }
  counts_.clear();
  for (const job::Attempt& attempt : job_->execution()->attempts()) counts_[attempt.id] = {};
}

void ManagedJob::OnCounts(const rpc::TaskCounts& counts) {
  const auto it = counts_.find(counts.attempt);
  if (it != counts_.end()) it->second = counts.operators;
}

std::vector<StepDetail> ManagedJob::Steps() const {
  std::vector<StepDetail> steps;
  if (plan_ == nullptr) return steps;
  for (const graph::PlanNode& node : plan_->nodes) {
    steps.push_back({.id = node.id,
                     .label = node.label,
                     .parallelism = node.parallelism,
                     .counts = {.node = static_cast<uint32_t>(steps.size())}});
  }
  for (const auto& [attempt, operators] : counts_) {
    for (const rpc::OperatorCounts& counts : operators) {
      // What a taskmanager says is not taken for granted.
      if (counts.node < steps.size()) AddCounts(counts, &steps[counts.node].counts);
    }
  }
  return steps;
}

void ManagedJob::FillRows(JobSummary* summary) const {
  for (const StepDetail& step : Steps()) {
    const graph::PlanNode& node = plan_->nodes[step.counts.node];
    if (node.IsSource()) summary->rows_read += step.counts.rows_out;
    if (std::holds_alternative<graph::SinkSpec>(node.spec)) {
      summary->rows_written += step.counts.rows_out;
    }
    summary->rows_late += step.counts.rows_late;
    summary->rows_skipped += step.counts.rows_skipped;
  }
}

void ManagedJob::FillFromJob(JobSummary* summary) const {
  const job::Job& job = *job_;
  const JobState state = job.lifecycle().state();
  summary->state = state;
  summary->waits_for = job::HasEnded(state) ? std::string() : job.WaitsFor();
  if (job::IsTerminal(state)) summary->ended_at = job.lifecycle().EnteredAt(state);
  summary->restarts = job.counts().restarts;
  summary->restored = job.counts().restored;
  const checkpoint::CheckpointHistory& history = job.checkpoints().history();
  summary->checkpoints_completed = history.counts().completed;
  summary->checkpoints_failed = history.counts().failed;
  if (history.latest_completed().has_value()) {
    const checkpoint::CheckpointStats& latest = *history.latest_completed();
    summary->completed = latest.id;
    summary->completed_at = latest.triggered_at + latest.duration;
    summary->completed_in = latest.duration;
    summary->completed_bytes = latest.state_bytes;
  } else if (job.counts().found != kNoCheckpoint) {
    // A former process's; how long it took is not stored.
    summary->completed = job.counts().found;
    summary->completed_at = job.counts().found_at;
  }
  CountTasks(job, summary);
  const bool has_failed =
      state == JobState::kFailing || state == JobState::kRestarting || state == JobState::kFailed;
  if (has_failed) summary->cause = std::string(job.root_cause().message());
}

JobSummary ManagedJob::Summary() const {
  JobSummary summary = summary_;
  if (job_ != nullptr) FillFromJob(&summary);
  FillRows(&summary);
  return summary;
}

JobDetail ManagedJob::Detail() const {
  JobDetail detail;
  detail.summary = Summary();
  detail.description = description_;
  detail.steps = Steps();
  detail.subtasks = job_ == nullptr ? subtasks_ : SubtasksOf(*job_);
  detail.failures = job_ == nullptr ? failures_ : FailuresOf(*job_);
  return detail;
}

std::vector<checkpoint::CheckpointStats> ManagedJob::Checkpoints() const {
  if (job_ == nullptr) return checkpoints_;
  const auto& entries = job_->checkpoints().history().entries();
  return {entries.rbegin(), entries.rend()};
}

coordination::EndedJob ManagedJob::Ended() const {
  const JobSummary summary = Summary();
  WEIR_CHECK(job::IsTerminal(summary.state));
  return {
      .id = summary.id,
      .name = summary.name,
      .request_id = request_id_,
      .end = EndOf(summary.state),
      .submitted_at = summary.submitted_at,
      .started_at = Whole(summary.started_at),
      .ended_at = Whole(summary.ended_at),
      .last_checkpoint = summary.completed != kNoCheckpoint ? summary.completed : summary.restored,
      .parallelism = summary.parallelism,
      .tasks = summary.tasks,
      .restarts = summary.restarts,
      .message = summary.cause};
}

void ManagedJob::Retire() {
  if (job_ == nullptr) return;
  WEIR_CHECK(job::HasEnded(state()));
  FillFromJob(&summary_);
  subtasks_ = SubtasksOf(*job_);
  failures_ = FailuresOf(*job_);
  checkpoints_ = Checkpoints();
  job_.reset();
  io_.reset();
  stores_.reset();
}

}  // namespace weir::dispatcher
