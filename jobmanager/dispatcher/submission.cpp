// Dispatcher: how a job comes in: planned and stored on the I/O pool, checked and started here.

#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/graph/job_graph.h"
#include "common/graph/planner.h"
#include "jobmanager/dispatcher/dispatcher.h"

namespace weir::dispatcher {

struct Dispatcher::Submission {
  SubmitRequest request;
  Done<SubmitAnswer> done;
  graph::PlanResult planned;
  PlannedJob job;
  coordination::StoredJob stored;
  absl::StatusOr<JobStores> stores = absl::UnknownError("not made");
};

absl::Status Dispatcher::CheckRequest(const SubmitRequest& request) const {
  std::string why;
  if (!IsReady(&why)) return absl::UnavailableError(why);
  if (request.request_id.size() > kRequestIdBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat("the request id has ", request.request_id.size(),
                                                   " bytes; at most ", kRequestIdBytesMax,
                                                   " are taken"));
  }
  size_t live = submissions_;
  for (const auto& [id, job] : jobs_) live += job->job() == nullptr ? 0 : 1;
  if (live < kLiveJobsMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("this jobmanager has its ", kLiveJobsMax, " jobs; cancel one"));
}

void Dispatcher::Submit(SubmitRequest request, Done<SubmitAnswer> done) {
  if (const absl::Status checked = CheckRequest(request); !checked.ok()) return done(checked);
  if (const std::optional<JobId> known = requests_.Find(request.request_id); known.has_value()) {
    const auto job = jobs_.find(*known);
    return done(SubmitAnswer{.job = *known,
                             .name = job == jobs_.end() ? "" : job->second->name(),
                             .is_new = false,
                             .diagnostics = {}});
  }
  if (!request.request_id.empty()) {
    const auto [joined, is_first] = joined_.try_emplace(request.request_id);
    if (!is_first) return joined->second.push_back(std::move(done));
  }
  ++submissions_;
  auto submission = std::make_shared<Submission>();
  submission->request = std::move(request);
  submission->done = std::move(done);
  RunIo(
      [submission] {
        submission->planned = graph::MakePlan(graph::RequestOf(submission->request.source));
      },
      [this, submission] { OnPlanned(submission); });
}

absl::Status Dispatcher::CheckPlan(const Submission& submission) const {
  const graph::Plan& plan = *submission.planned.plan;
  if (const ManagedJob* same = FindLiveByName(plan.name); same != nullptr) {
    return absl::AlreadyExistsError(absl::StrCat(
        "job '", plan.name, "' is ", job::ToString(same->state()), " (", same->id().ToShortString(),
        "): cancel it first, or give the new one another `name`"));
  }
  if (names_coming_.contains(plan.name)) {
    return absl::AlreadyExistsError(
        absl::StrCat("job '", plan.name, "' is being submitted by someone else"));
  }
  if (plan.settings.checkpointing.interval.has_value() && !services_.stores.HasDirectory()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "job '", plan.name,
        "' takes checkpoints, and this cluster has no place for them: set "
        "`state.checkpoints.dir` in the jobmanager's configuration to a directory that the "
        "jobmanager and every taskmanager can reach"));
  }
  return absl::OkStatus();
}

void Dispatcher::OnPlanned(const std::shared_ptr<Submission>& submission) {
  std::string why;
  if (!IsReady(&why)) return Answer(*submission, absl::UnavailableError(why));
  if (submission->planned.plan == nullptr) {
    return Answer(*submission, SubmitAnswer{.job = {},
                                            .name = {},
                                            .is_new = false,
                                            .diagnostics = submission->planned.diagnostics});
  }
  if (const absl::Status checked = CheckPlan(*submission); !checked.ok()) {
    return Answer(*submission, checked);
  }
  const graph::Plan& plan = *submission->planned.plan;
  absl::StatusOr<graph::RestartOptions> restart =
      job::ChooseRestart(plan.settings, options_.restart);
  if (!restart.ok()) return Answer(*submission, restart.status());
  submission->job = {submission->planned.plan,
                     std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(plan)), *restart};
  coordination::StoredJob& stored = submission->stored;
  stored.id = ids_.Make<JobId>();
  stored.name = plan.name;
  stored.request_id = submission->request.request_id;
  stored.submitted_at = absl::FromUnixMicros(absl::ToUnixMicros(services_.clock.WallNow()));
  stored.source = submission->request.source;
  stored.source.max_parallelism = plan.settings.max_parallelism;
  stored.parallelism = job::SlotsOf(*submission->job.graph);
  names_coming_.insert(stored.name);
  RunIo(
      [submission, services = services_] {
        const coordination::StoredJob& to_store = submission->stored;
        submission->stores =
            services.stores.Make(to_store.id, submission->job.plan->settings.checkpointing);
        if (!submission->stores.ok()) return;
        const absl::Status put = services.graphs.Put(to_store);
        if (put.ok()) return;
        // Whether it is stored is unknown: what was refused must not run later.
        (void)services.graphs.Remove(to_store.id);  // it fails as Put() did, and that is told
        submission->stores = put;
      },
      [this, submission] { OnStored(submission); });
}

void Dispatcher::OnStored(const std::shared_ptr<Submission>& submission) {
  names_coming_.erase(submission->stored.name);
  if (!submission->stores.ok()) {
    NoteIfFenced(submission->stores.status());
    return Answer(*submission, submission->stores.status());
  }
  const SubmitAnswer answer{.job = submission->stored.id,
                            .name = submission->stored.name,
                            .is_new = true,
                            .diagnostics = submission->planned.diagnostics};
  LOG(INFO) << "job submitted job=" << answer.job.ToString() << " name=" << answer.name
            << " slots=" << submission->stored.parallelism;
  ManagedJob& made = Add(std::move(submission->stored), std::move(submission->job),
                         *std::move(submission->stores), job::StartedBy::kPerson);
  // One that comes while this process stops ends as the others do.
  if (phase_ == Phase::kStopping) {
    if (options_.on_stop == OnStop::kSuspend) {
      made.job()->Suspend();
    } else {
      made.job()->Cancel();
    }
  } else {
    made.job()->Start();
  }
  Answer(*submission, answer);
}

void Dispatcher::Answer(Submission& submission, absl::StatusOr<SubmitAnswer> answer) {
  WEIR_CHECK(submissions_ > 0);
  --submissions_;
  std::vector<Done<SubmitAnswer>> others;
  if (auto joined = joined_.extract(submission.request.request_id); !joined.empty()) {
    others = std::move(joined.mapped());
  }
  submission.done(answer);
  if (answer.ok()) answer->is_new = false;
  for (Done<SubmitAnswer>& other : others) other(answer);
  MaybeStopped();
}

}  // namespace weir::dispatcher
