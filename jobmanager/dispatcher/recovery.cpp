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

namespace weir::dispatcher {
namespace {

// One job that has not ended.
struct Resumable {
  coordination::StoredJob stored;
  std::string failure;  // why it cannot run any more; empty: it can
  PlannedJob planned;
  JobStores stores;
};

absl::Status Plan(Resumable& job, const std::optional<graph::RestartOptions>& cluster) {
  const graph::PlanResult result = graph::MakePlan(graph::RequestOf(job.stored.source));
  if (result.plan == nullptr) {
    job.failure = absl::StrCat("its descriptor is not accepted any more: ",
                               result.diagnostics.ToStatus().message());
    return absl::OkStatus();
  }
  job.planned.plan = result.plan;
  job.planned.graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*result.plan));
  WEIR_ASSIGN_OR_RETURN(job.planned.restart, job::ChooseRestart(result.plan->settings, cluster));
  return absl::OkStatus();
}

// Whoever ended the job did not come to removing what it needed to run.
absl::Status CleanUp(const coordination::StoredJob& job, const coordination::EndedJob& result,
                     const DispatcherServices& services) {
  LOG(INFO) << "cleaning up after an ended job job=" << job.id.ToString() << " name=" << job.name
            << " end=" << coordination::ToString(result.end);
  const graph::PlanResult planned = graph::MakePlan(graph::RequestOf(job.source));
  const graph::CheckpointingOptions options = planned.plan == nullptr
                                                  ? graph::CheckpointingOptions{}
                                                  : planned.plan->settings.checkpointing;
  WEIR_ASSIGN_OR_RETURN(JobStores stores, services.stores.Make(job.id, options));
  WEIR_RETURN_IF_ERROR(services.graphs.Remove(job.id));
  WEIR_RETURN_IF_ERROR(stores.checkpoints->Shutdown(result.end));
  return stores.counter->Stop(result.end);
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
    std::map<JobId, const coordination::EndedJob*> results;
    for (const coordination::EndedJob& result : ended) results[result.id] = &result;
    WEIR_ASSIGN_OR_RETURN(std::vector<coordination::StoredJob> stored, services.graphs.List());
    for (coordination::StoredJob& one : stored) {
      if (const auto result = results.find(one.id); result != results.end()) {
        WEIR_RETURN_IF_ERROR(CleanUp(one, *result->second, services));
        continue;
      }
      Resumable job;
      job.stored = std::move(one);
      WEIR_RETURN_IF_ERROR(Plan(job, options.restart));
      if (job.failure.empty()) {
        WEIR_ASSIGN_OR_RETURN(
            job.stores,
            services.stores.Make(job.stored.id, job.planned.plan->settings.checkpointing));
      } else {
        const ManagedJob failed(job.stored, job.failure, services.clock.WallNow());
        WEIR_RETURN_IF_ERROR(services.results.Put(failed.Ended()));
        WEIR_RETURN_IF_ERROR(services.graphs.Remove(job.stored.id));
      }
      jobs.push_back(std::move(job));
    }
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

void Dispatcher::OnLeftovers(std::shared_ptr<Leftovers> leftovers) {
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
    if (!left.failure.empty()) {
      LOG(ERROR) << "stored job cannot be resumed job=" << id.ToString()
                 << " name=" << left.stored.name << " cause=\"" << left.failure << "\"";
      requests_.Remember(left.stored.request_id, id);
      jobs_[id] =
          std::make_unique<ManagedJob>(left.stored, left.failure, services_.clock.WallNow());
      continue;
    }
    // Where this process stops already, the jobs stay stored as they are.
    if (phase_ == Phase::kStopping) continue;
    LOG(INFO) << "stored job resumed job=" << id.ToString() << " name=" << left.stored.name;
    Add(std::move(left.stored), std::move(left.planned), std::move(left.stores),
        job::StartedBy::kSystem)
        .job()
        ->Start();
  }
  ForgetOldest();
  if (phase_ == Phase::kReading) phase_ = Phase::kReady;
  leftovers->done(absl::OkStatus());
}

}  // namespace weir::dispatcher
