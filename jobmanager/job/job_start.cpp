// Job, from Start() to the deployment: slots, the newest checkpoint, the sinks, the tasks.

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/state_assignment.h"
#include "jobmanager/job/job.h"

namespace weir::job {

using coordination::CompletedCheckpoint;

template <class Result>
void Job::RunIo(absl::AnyInvocable<Result()> work, absl::AnyInvocable<void(Result)> done) {
  services_.checkpoints.io.Run([work = std::move(work), done = std::move(done),
                                &loop = services_.checkpoints.loop,
                                self = std::weak_ptr<Job*>(self_)]() mutable {
    Result result = work();
    loop.PostControl([result = std::move(result), done = std::move(done), self]() mutable {
      if (!self.expired()) done(std::move(result));
    });
  });
}

void Job::Start() {
  WEIR_CHECK(!starting_);
  WEIR_CHECK(!execution_.has_value() || execution_->live_count() == 0);
  starting_ = true;
  has_slots_ = false;
  failed_at_ = StartStep::kNone;
  // What a former process left may be out of reach: slots are not held meanwhile.
  if (description_.started_by == StartedBy::kSystem && !recovered_) return ReadNewest();
  AcquireSlots();
}

void Job::AcquireSlots() {
  awaiting_slots_ = true;
  services_.slots.Acquire(
      description_.id, SlotsOf(*description_.graph),
      [this, self = std::weak_ptr<Job*>(self_)](absl::StatusOr<resources::SlotAssignment> slots) {
        if (!self.expired()) OnSlots(std::move(slots));
      });
}

void Job::OnSlots(absl::StatusOr<resources::SlotAssignment> slots) {
  awaiting_slots_ = false;
  if (!slots.ok()) {
    failed_at_ = StartStep::kSlots;
    return EndStart(slots.status());
  }
  WEIR_CHECK(slots->slots.size() == SlotsOf(*description_.graph));
  has_slots_ = true;
  execution_.reset();  // what ran before, ran elsewhere
  assignment_ = *std::move(slots);
  if (after_ != After::kNothing) return EndStart(absl::OkStatus());
  ReadNewest();
}

void Job::EndStart(const absl::Status& cause) {
  starting_ = false;
  execution_.reset();
  if (after_ != After::kNothing) return MaybeSettle();
  // Another process leads: what this one does next could undo what that one did.
  if (absl::IsAborted(cause)) return OnLeadershipLost(cause);
  Fail(FailureOf(nullptr, cause));
}

void Job::ReadNewest() {
  if (recovered_ && unreadable_ == kNoCheckpoint) {
    return PrepareSinks(services_.checkpoints.store.Latest());
  }
  // Every sink there is either commits nothing outside or can take back what it committed above
  // the restored id (the names of its files carry the id), so an older checkpoint may be used.
  const coordination::RecoverOptions options{.fallback = coordination::Fallback::kAllowed,
                                             .below = unreadable_};
  using Result = absl::StatusOr<coordination::Recovered>;
  RunIo<Result>(
      [&store = services_.checkpoints.store, &counter = services_.checkpoints.counter,
       options]() -> Result {
        WEIR_RETURN_IF_ERROR(counter.Start());
        return store.Recover(options);
      },
      [this](Result recovered) {
        if (recovered.ok()) return OnRecovered(*recovered);
        unreadable_ = kNoCheckpoint;  // nothing older can be used either
        recovered_ = false;           // the store has nothing to go on from until it is read again
        failed_at_ = StartStep::kCheckpoints;
        EndStart(recovered.status());
      });
}

void Job::OnRecovered(const coordination::Recovered& recovered) {
  recovered_ = true;
  unreadable_ = kNoCheckpoint;
  patience_.reset();
  for (const coordination::SkippedCheckpoint& skipped : recovered.skipped) {
    ++counts_.fallbacks;
    LOG(WARNING) << "checkpoint unreadable, using an older one checkpoint=" << ToInt(skipped.id)
                 << " location=" << skipped.location << " cause=" << skipped.cause;
  }
  if (recovered.newest.has_value()) {
    counts_.found = recovered.newest->id;
    counts_.found_at = recovered.newest->metadata->triggered_at;
  }
  if (after_ != After::kNothing) return EndStart(absl::OkStatus());
  if (!has_slots_) return AcquireSlots();
  PrepareSinks(recovered.newest);
}

// By the clock, so that one that another process makes later is higher as well; where clocks
// disagree the epoch, which comes first, still tells which is later.
uint64_t Job::NextGeneration() {
  const int64_t now = absl::ToUnixMicros(services_.checkpoints.clock.WallNow());
  generation_ = std::max(generation_ + 1, static_cast<uint64_t>(std::max<int64_t>(now, 0)));
  return generation_;
}

absl::StatusOr<rpc::JobDeployment> Job::MakeDeployment(
    const std::optional<CompletedCheckpoint>& newest) {
  const graph::Plan& plan = *description_.plan;
  rpc::JobDeployment deployment;
  deployment.job = description_.id;
  deployment.epoch = description_.epoch;
  deployment.generation = NextGeneration();
  deployment.source = description_.source;
  deployment.plan = description_.plan;
  deployment.graph = description_.graph;
  checkpoint::StateAssignment assignment;
  if (newest.has_value()) {
    std::vector<checkpoint::NewOperator> operators;
    operators.reserve(plan.nodes.size());
    for (const graph::PlanNode& node : plan.nodes) {
      operators.push_back({node.uid, node.parallelism,
                           static_cast<uint32_t>(plan.settings.max_parallelism),
                           node.state_signature});
    }
    WEIR_ASSIGN_OR_RETURN(assignment, checkpoint::AssignState(*newest->metadata, operators, {}));
    deployment.restored = newest->id;
    deployment.restored_location = newest->location;
  }
  for (const Attempt& attempt : execution_->attempts()) {
    rpc::TaskDeployment task{.attempt = attempt.id,
                             .vertex = attempt.vertex,
                             .subtask = attempt.subtask,
                             .taskmanager = assignment_.slots[attempt.subtask]};
    for (const graph::NodeIndex node : description_.graph->vertices[attempt.vertex].chain) {
      const auto it = assignment.find(plan.nodes[node].uid);
      if (it != assignment.end()) task.states[it->first] = it->second[attempt.subtask].state;
    }
    deployment.tasks.push_back(std::move(task));
  }
  for (const auto& [id, place] : assignment_.places) {
    deployment.data_addresses[id] = place.data_address;
  }
  return deployment;
}

void Job::PrepareSinks(const std::optional<CompletedCheckpoint>& newest) {
  // Cancelled or suspended meanwhile?
  if (after_ != After::kNothing) return EndStart(absl::OkStatus());
  execution_.emplace(*description_.graph, ids_);
  absl::StatusOr<rpc::JobDeployment> deployment = MakeDeployment(newest);
  if (!deployment.ok()) return EndStart(deployment.status());
  auto shared = std::make_shared<rpc::JobDeployment>(*std::move(deployment));
  services_.sinks.Prepare(*shared, [this, shared, self = std::weak_ptr<Job*>(self_)](
                                       absl::StatusOr<rpc::SinkPreparation> prepared) {
    if (self.expired()) return;
    if (prepared.ok()) return DeployAbove(prepared->highest_seen, std::move(*shared));
    failed_at_ = StartStep::kSinks;
    EndStart(prepared.status());
  });
}

void Job::DeployAbove(CheckpointId highest_seen, rpc::JobDeployment deployment) {
  const CheckpointId highest = std::max(highest_seen, deployment.restored);
  auto shared = std::make_shared<rpc::JobDeployment>(std::move(deployment));
  RunIo<absl::Status>(
      [&counter = services_.checkpoints.counter, highest]() -> absl::Status {
        return counter.RaiseTo(CheckpointId{ToInt(highest) + 1});
      },
      [this, shared](const absl::Status& raised) {
        if (!raised.ok() || after_ != After::kNothing) return EndStart(raised);
        Deploy(std::move(*shared));
      });
}

void Job::Deploy(rpc::JobDeployment deployment) {
  starting_ = false;
  quiesced_ = false;
  counts_.has_run = true;
  counts_.restored = deployment.restored;
  if (deployment.restored != kNoCheckpoint) {
    LOG(INFO) << "job restored job=" << description_.id.ToString()
              << " checkpoint=" << ToInt(deployment.restored);
  }
  coordinator_.OnDeployed(execution_->Facts());
  if (lifecycle_.state() != JobState::kRunning) {
    lifecycle_.Change(JobState::kRunning, absl::OkStatus());
  }
  coordinator_.OnJobRunning();
  const absl::Status deployed = services_.checkpoints.tasks.Deploy(std::move(deployment));
  if (deployed.ok()) return;
  for (const Attempt& attempt : std::vector<Attempt>(execution_->attempts())) {
    execution_->OnEnded(attempt.id, deployed);
  }
  Fail(FailureOf(nullptr, deployed));
}

}  // namespace weir::job
