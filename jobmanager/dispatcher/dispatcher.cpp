#include "jobmanager/dispatcher/dispatcher.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "jobmanager/dispatcher/job_details.h"
#include "jobmanager/dispatcher/job_reference.h"
#include "jobmanager/dispatcher/log_gathering.h"
#include "jobmanager/dispatcher/stored_end.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

// What is stored when a job, or this process's part of it, comes to its end.
absl::Status Settle(const std::optional<coordination::EndedJob>& result, JobStores& stores,
                    const DispatcherServices& services) {
  if (result.has_value()) return StoreEnd(*result, stores, services.graphs, services.results);
  WEIR_RETURN_IF_ERROR(stores.checkpoints->Shutdown(coordination::JobEnd::kSuspended));
  return stores.counter->Stop(coordination::JobEnd::kSuspended);
}

absl::Status EndedAs(const ManagedJob& job) {
  return absl::FailedPreconditionError(absl::StrCat(
      "job '", job.name(), "' (", job.id().ToShortString(), ") is ", job::ToString(job.state())));
}

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options, DispatcherServices services,
                       DispatcherObserver observer)
    : options_(std::move(options)),
      services_(services),
      observer_(std::move(observer)),
      started_at_(services.clock.WallNow()),
      ids_(options_.seed),
      self_(std::make_shared<Dispatcher*>(this)) {
  services_.events.SetFinder([this](JobId id) -> job::Job* {
    const auto it = jobs_.find(id);
    return it == jobs_.end() ? nullptr : it->second->job();
  });
}

Dispatcher::~Dispatcher() {
  services_.events.SetFinder(nullptr);
}

void Dispatcher::RunIo(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done) {
  services_.io.Run([work = std::move(work), done = std::move(done), &loop = services_.loop,
                    self = std::weak_ptr<Dispatcher*>(self_)]() mutable {
    work();
    loop.PostControl([done = std::move(done), self]() mutable {
      if (!self.expired()) done();
    });
  });
}

// --- Jobs and their ends ---

ManagedJob& Dispatcher::Add(coordination::StoredJob stored, PlannedJob planned, JobStores stores,
                            job::StartedBy started_by) {
  const JobId id = stored.id;
  const JobMaking making{.epoch = options_.epoch,
                         .seed = ids_.Make<JobId>().low,
                         .started_by = started_by,
                         .clock = services_.clock,
                         .timers = services_.timers,
                         .io = services_.io,
                         .loop = services_.loop,
                         .tasks = services_.tasks,
                         .sinks = services_.sinks,
                         .slots = services_.slots};
  requests_.Remember(stored.request_id, id);
  auto made = std::make_unique<ManagedJob>(std::move(stored), std::move(planned), std::move(stores),
                                           making);
  made->job()->lifecycle().AddListener([this, id](JobState from, JobState to) {
    OnStateChanged(id, from, to);
    return absl::OkStatus();
  });
  std::unique_ptr<ManagedJob>& place = jobs_[id];
  WEIR_CHECK(place == nullptr);
  place = std::move(made);
  return *place;
}

void Dispatcher::OnStateChanged(JobId id, JobState from, JobState to) {
  ManagedJob& job = *jobs_.at(id);
  job.OnStateChanged(to);
  if (observer_.state_changed) {
    observer_.state_changed(id, from, to, job.job()->lifecycle().cause());
  }
  if (!job::HasEnded(to)) return;
  ++settling_;
  // Later: the job is still at it.
  services_.loop.PostControl([this, id, self = std::weak_ptr<Dispatcher*>(self_)] {
    if (!self.expired()) SettleEnd(*jobs_.at(id));
  });
}

void Dispatcher::SettleEnd(ManagedJob& ended) {
  const JobId id = ended.id();
  const JobState state = ended.state();
  const absl::Status cause = ended.job()->lifecycle().cause();
  OnCounts(services_.cluster.Counts());
  services_.tasks.Release(id);
  std::optional<coordination::EndedJob> result;
  if (job::IsTerminal(state)) result = ended.Ended();
  auto settled = std::make_shared<absl::Status>();  // shared with the work below
  RunIo([result = std::move(result), stores = ended.stores(), settled,
         services = services_] { *settled = Settle(result, *stores, services); },
        [this, id, settled] { OnSettled(id, *settled); });
  if (state == JobState::kSuspended && absl::IsAborted(cause)) NoteIfFenced(cause);
}

void Dispatcher::OnSettled(JobId id, const absl::Status& settled) {
  ManagedJob& ended = *jobs_.at(id);
  const JobState state = ended.state();
  if (!settled.ok()) {
    LOG(ERROR) << "the end of a job could not be stored job=" << id.ToString()
               << " state=" << job::ToString(state) << " cause=" << settled;
  }
  NoteIfFenced(settled);
  ended.Retire();
  --settling_;
  ForgetOldest();
  if (observer_.settled) observer_.settled(id, state, settled);
  MaybeStopped();
}

void Dispatcher::ForgetOldest() {
  std::vector<ManagedJob*> ended;
  for (const auto& [id, job] : jobs_) {
    // One that is suspended goes on in the next process.
    if (job->job() == nullptr && job::IsTerminal(job->state())) ended.push_back(job.get());
  }
  if (ended.size() <= options_.ended_jobs_max) return;
  std::sort(ended.begin(), ended.end(), [](const ManagedJob* a, const ManagedJob* b) {
    return a->Summary().ended_at < b->Summary().ended_at;
  });
  ended.resize(ended.size() - options_.ended_jobs_max);
  for (const ManagedJob* oldest : ended) {
    const JobId id = oldest->id();
    jobs_.erase(id);
    services_.io.Run([&results = services_.results, &graphs = services_.graphs, id] {
      // Where the cleanup did not come to the graph: without the result it would run again.
      absl::Status removed = graphs.Remove(id);
      if (removed.ok()) removed = results.Remove(id);
      if (removed.ok()) return;
      LOG(WARNING) << "old result not removed job=" << id.ToString() << " cause=" << removed;
    });
  }
}

void Dispatcher::NoteIfFenced(const absl::Status& status) {
  if (!absl::IsAborted(status) || fenced_) return;
  fenced_ = true;
  if (observer_.leadership_lost) observer_.leadership_lost(status);
}

void Dispatcher::Stop(absl::AnyInvocable<void()> done) {
  WEIR_CHECK(phase_ != Phase::kStopping);
  phase_ = Phase::kStopping;
  stopped_ = std::move(done);
  for (const auto& [id, job] : jobs_) {
    if (job->job() == nullptr) continue;
    if (options_.on_stop == OnStop::kSuspend || fenced_) {
      job->job()->Suspend();
    } else {
      job->job()->Cancel();
    }
  }
  // Later, as every other answer of this.
  services_.loop.PostControl([this, self = std::weak_ptr<Dispatcher*>(self_)] {
    if (!self.expired()) MaybeStopped();
  });
}

void Dispatcher::MaybeStopped() {
  if (phase_ != Phase::kStopping || !stopped_) return;
  const bool any_lives = std::any_of(jobs_.begin(), jobs_.end(),
                                     [](const auto& job) { return job.second->job() != nullptr; });
  if (any_lives || submissions_ > 0 || settling_ > 0) return;
  std::exchange(stopped_, nullptr)();
}

// --- What is told of tasks ---

void Dispatcher::OnCounts(const std::vector<rpc::TaskCounts>& counts) {
  for (const rpc::TaskCounts& task : counts) {
    const auto it = jobs_.find(task.job);
    if (it != jobs_.end()) it->second->OnCounts(task);
  }
}

void Dispatcher::OnReport(const resources::RegisteredTaskManager& taskmanager) {
  OnCounts(taskmanager.report.tasks);
}

// --- Questions ---

const job::Job* Dispatcher::FindJob(JobId id) const {
  const auto it = jobs_.find(id);
  return it == jobs_.end() ? nullptr : it->second->job();
}

const ManagedJob* Dispatcher::FindLiveByName(StringView name) const {
  for (const auto& [id, job] : jobs_) {
    if (!job::HasEnded(job->state()) && job->name() == name) return job.get();
  }
  return nullptr;
}

absl::StatusOr<ManagedJob*> Dispatcher::Find(StringView reference) const {
  std::vector<NamedJob> named;
  named.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) {
    named.push_back({id, job->name(), job->submitted_at(), job::HasEnded(job->state())});
  }
  WEIR_ASSIGN_OR_RETURN(const JobId id, ResolveJob(named, reference));
  return jobs_.at(id).get();
}

std::vector<JobSummary> Dispatcher::List(bool ended) const {
  std::vector<JobSummary> list;
  for (const auto& [id, job] : jobs_) {
    if (ended || !job::HasEnded(job->state())) list.push_back(job->Summary());
  }
  std::stable_sort(list.begin(), list.end(), [](const JobSummary& a, const JobSummary& b) {
    return a.submitted_at > b.submitted_at;
  });
  return list;
}

absl::StatusOr<JobDetail> Dispatcher::Describe(StringView reference) const {
  WEIR_ASSIGN_OR_RETURN(const ManagedJob* job, Find(reference));
  return job->Detail();
}

void Dispatcher::Cancel(StringView reference, Done<JobSummary> done) {
  const absl::StatusOr<ManagedJob*> found = Find(reference);
  if (!found.ok()) return done(found.status());
  const ManagedJob& job = **found;
  const JobState state = job.state();
  if (state == JobState::kCanceled) return done(job.Summary());
  if (job::HasEnded(state)) return done(EndedAs(job));
  auto marked = std::make_shared<absl::Status>();  // shared with the work below
  RunIo([id = job.id(), marked, &graphs = services_.graphs] { *marked = graphs.MarkCancelled(id); },
        [this, id = job.id(), marked, done = std::move(done)]() mutable {
          OnCancelStored(id, *marked, std::move(done));
        });
}

void Dispatcher::OnCancelStored(JobId id, const absl::Status& marked, Done<JobSummary> done) {
  NoteIfFenced(marked);
  if (!marked.ok()) return done(marked);
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return done(absl::NotFoundError("the job has ended and is forgotten"));
  const ManagedJob& job = *it->second;
  const JobState state = job.state();
  // It came to its end meanwhile. One that is suspended is cancelled by the next process.
  if (job::IsTerminal(state) && state != JobState::kCanceled) return done(EndedAs(job));
  if (!job::HasEnded(state)) job.job()->Cancel();
  done(job.Summary());
}

absl::StatusOr<std::vector<checkpoint::CheckpointStats>> Dispatcher::Checkpoints(
    StringView reference) const {
  WEIR_ASSIGN_OR_RETURN(const ManagedJob* job, Find(reference));
  return job->Checkpoints();
}

void Dispatcher::TriggerCheckpoint(StringView reference, Done<CheckpointId> done) {
  const absl::StatusOr<ManagedJob*> found = Find(reference);
  if (!found.ok()) return done(found.status());
  const ManagedJob& job = **found;
  if (job.state() != JobState::kRunning) {
    return done(absl::FailedPreconditionError(
        absl::StrCat("job '", job.name(), "' is ", job::ToString(job.state()), ", not RUNNING")));
  }
  job.job()->checkpoints().Trigger(std::move(done));
}

absl::StatusOr<TaskManagerId> Dispatcher::FindTaskManager(StringView prefix) const {
  const std::vector<TaskManagerDetail> all = services_.cluster.TaskManagers();
  std::vector<std::string> ids;
  ids.reserve(all.size());
  for (const TaskManagerDetail& detail : all) ids.push_back(detail.facts.id.ToString());
  WEIR_ASSIGN_OR_RETURN(const size_t index, ResolveIdPrefix(ids, prefix, "taskmanager"));
  return all[index].facts.id;
}

void Dispatcher::Logs(const LogQuery& query, Done<std::vector<rpc::LogLine>> done) {
  rpc::LogRequest request;
  request.lines_max = static_cast<uint32_t>(std::min<size_t>(query.lines_max, rpc::kLogLinesMax));
  if (!query.job.empty()) {
    const absl::StatusOr<ManagedJob*> job = Find(query.job);
    if (!job.ok()) return done(job.status());
    request.contains = (*job)->id().ToString();
  }
  if (!query.taskmanager.empty()) {
    const absl::StatusOr<TaskManagerId> id = FindTaskManager(query.taskmanager);
    if (!id.ok()) return done(id.status());
    return services_.cluster.ReadLogs(*id, request, std::move(done));
  }
  if (query.job.empty()) return done(services_.cluster.OwnLog(request));
  auto gathering = std::make_shared<LogGathering>(request.lines_max, std::move(done));
  gathering->Add("jobmanager", services_.cluster.OwnLog(request));
  const absl::Time now = services_.clock.WallNow();
  for (const TaskManagerDetail& detail : services_.cluster.TaskManagers()) {
    const std::string origin = absl::StrCat("taskmanager ", detail.facts.id.ToShortString());
    services_.cluster.ReadLogs(detail.facts.id, request,
                               LogGathering::Expect(gathering, origin, now));
  }
  gathering->Close();
}

ClusterDetail Dispatcher::Cluster() const {
  return {.version = options_.version,
          .epoch = options_.epoch,
          .started_at = started_at_,
          .taskmanagers = services_.cluster.TaskManagers()};
}

bool Dispatcher::IsReady(std::string* why) const {
  switch (phase_) {
    case Phase::kIdle:
      *why = "this jobmanager does not lead the cluster (yet)";
      return false;
    case Phase::kReading:
      *why = "the stored jobs are being read";
      return false;
    case Phase::kStopping:
      *why = "this jobmanager stops";
      return false;
    case Phase::kReady:
      break;
  }
  if (fenced_) *why = "another jobmanager leads the cluster";
  return !fenced_;
}

}  // namespace weir::dispatcher
