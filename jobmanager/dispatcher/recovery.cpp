// Dispatcher: how a jobmanager goes on with what a former one left.

#include <map>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/graph/job_graph.h"
#include "common/graph/planner.h"
#include "jobmanager/dispatcher/dispatcher.h"
#include "jobmanager/dispatcher/stored_end.h"

namespace weir::dispatcher {
namespace {

// One job that goes on, or is cancelled.
struct Resumable {
  coordination::StoredJob stored;
  PlannedJob planned;
  JobStores stores;
};

// How a job ends that no process can plan any more.
coordination::EndedJob EndedUnplanned(const coordination::StoredJob& job, std::string failure,
                                      absl::Time now) {
  using coordination::JobEnd;
  return {.id = job.id,
          .name = job.name,
          .request_id = job.request_id,
          .end = job.is_cancelled ? JobEnd::kCanceled : JobEnd::kFailed,
          .submitted_at = job.submitted_at,
          .started_at = absl::InfinitePast(),
          .ended_at = absl::FromUnixMicros(absl::ToUnixMicros(now)),
          .parallelism = job.parallelism,
          .message = job.is_cancelled ? std::string() : std::move(failure)};
}

// Whoever ended the job did not come to removing all that nobody needs. What cannot be removed now
// is no reason not to lead: the next start tries again. ABORTED: this process leads no more.
absl::Status CleanUp(const coordination::StoredJob& job, const coordination::EndedJob& result,
                     const DispatcherServices& services) {
  LOG(INFO) << "cleaning up after an ended job job=" << job.id.ToString() << " name=" << job.name
            << " end=" << coordination::ToString(result.end);
  const graph::PlanResult planned = graph::MakePlan(graph::RequestOf(job.source));
  const graph::CheckpointingOptions options = planned.plan == nullptr
                                                  ? graph::CheckpointingOptions{}
                                                  : planned.plan->settings.checkpointing;
  absl::StatusOr<JobStores> stores = services.stores.Make(job.id, options);
  absl::Status cleaned =
      stores.ok() ? FinishEnd(result, *stores, services.graphs) : stores.status();
  if (cleaned.ok() || absl::IsAborted(cleaned)) return cleaned;
  LOG(WARNING) << "not all of an ended job could be removed job=" << job.id.ToString()
               << " cause=" << cleaned;
  return absl::OkStatus();
}

}  // namespace

struct Dispatcher::Leftovers {
  absl::Status status;
  std::vector<Resumable> jobs;
  std::vector<coordination::EndedJob> ended;
  absl::AnyInvocable<void(absl::Status)> done;

  // Blocks.
  absl::Status Read(const DispatcherOptions& options, const DispatcherServices& services) {
    if (options.restart.has_value()) {
      WEIR_RETURN_IF_ERROR(job::ValidateRestartOptions(*options.restart));
    }
    WEIR_ASSIGN_OR_RETURN(ended, services.results.List());
    std::map<JobId, coordination::EndedJob> results;
    for (const coordination::EndedJob& result : ended) results[result.id] = result;
    WEIR_ASSIGN_OR_RETURN(std::vector<coordination::StoredJob> stored, services.graphs.List());
    for (coordination::StoredJob& one : stored) {
      if (const auto result = results.find(one.id); result != results.end()) {
        WEIR_RETURN_IF_ERROR(CleanUp(one, result->second, services));
        continue;
      }
      WEIR_RETURN_IF_ERROR(Resume(std::move(one), options, services));
    }
    return absl::OkStatus();
  }

  // Likewise.
  absl::Status Resume(coordination::StoredJob stored, const DispatcherOptions& options,
                      const DispatcherServices& services) {
    const graph::PlanResult result = graph::MakePlan(graph::RequestOf(stored.source));
    if (result.plan == nullptr) {
      coordination::EndedJob failed =
          EndedUnplanned(stored,
                         absl::StrCat("its descriptor is not accepted any more: ",
                                      result.diagnostics.ToStatus().message()),
                         services.clock.WallNow());
      LOG(ERROR) << "stored job cannot be resumed job=" << stored.id.ToString()
                 << " name=" << stored.name << " cause=\"" << failed.message << "\"";
      WEIR_RETURN_IF_ERROR(services.results.Put(failed));
      WEIR_RETURN_IF_ERROR(CleanUp(stored, failed, services));
      ended.push_back(std::move(failed));
      return absl::OkStatus();
    }
    Resumable job;
    job.planned.plan = result.plan;
    job.planned.graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*result.plan));
    WEIR_ASSIGN_OR_RETURN(job.planned.restart,
                          job::ChooseRestart(result.plan->settings, options.restart));
    WEIR_ASSIGN_OR_RETURN(job.stores,
                          services.stores.Make(stored.id, result.plan->settings.checkpointing));
    job.stored = std::move(stored);
    jobs.push_back(std::move(job));
    return absl::OkStatus();
  }
};

void Dispatcher::Start(absl::AnyInvocable<void(absl::Status)> done) {
  WEIR_CHECK(phase_ == Phase::kIdle);
  phase_ = Phase::kReading;
  auto leftovers = std::make_shared<Leftovers>();
  leftovers->done = std::move(done);
  RunIo([leftovers, options = options_,
         services = services_] { leftovers->status = leftovers->Read(options, services); },
        [this, leftovers] { OnLeftovers(leftovers); });
}

void Dispatcher::OnLeftovers(const std::shared_ptr<Leftovers>& leftovers) {
  NoteIfFenced(leftovers->status);
  if (!leftovers->status.ok()) {
    if (phase_ == Phase::kReading) phase_ = Phase::kIdle;
    return leftovers->done(leftovers->status);
  }
  for (const coordination::EndedJob& ended : leftovers->ended) {
    requests_.Remember(ended.request_id, ended.id);
    jobs_[ended.id] = std::make_unique<ManagedJob>(ended);
  }
  for (Resumable& left : leftovers->jobs) {
    const JobId id = left.stored.id;
    // Where this process stops already, the jobs stay stored as they are.
    if (phase_ == Phase::kStopping) continue;
    const bool is_cancelled = left.stored.is_cancelled;
    LOG(INFO) << "stored job " << (is_cancelled ? "cancelled" : "resumed")
              << " job=" << id.ToString() << " name=" << left.stored.name;
    ManagedJob& job = Add(std::move(left.stored), std::move(left.planned), std::move(left.stores),
                          job::StartedBy::kSystem);
    if (is_cancelled) {
      job.job()->Cancel();
    } else {
      job.job()->Start();
    }
  }
  ForgetOldest();
  if (phase_ == Phase::kReading) phase_ = Phase::kReady;
  leftovers->done(absl::OkStatus());
}

}  // namespace weir::dispatcher
