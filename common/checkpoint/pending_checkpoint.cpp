#include "common/checkpoint/pending_checkpoint.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::checkpoint {
namespace {

// Most names in one message.
constexpr uint32_t kNamesShownMax = 5;

bool Runs(const VertexFacts& vertex, const std::string& uid) {
  return std::any_of(vertex.operators.begin(), vertex.operators.end(),
                     [&uid](const OperatorFacts& facts) { return facts.uid == uid; });
}

}  // namespace

PendingCheckpoint::PendingCheckpoint(const JobFacts& job, const TaskTable& tasks,
                                     TriggerRequest request, Barrier barrier,
                                     absl::Duration started)
    : job_(job),
      request_(std::move(request)),
      barrier_(std::move(barrier)),
      started_(started),
      ledger_(tasks.task_count()) {
  for (const VertexFacts& vertex : job.vertices) {
    first_operators_.push_back(static_cast<uint32_t>(operators_.size()));
    for (const OperatorFacts& facts : vertex.operators) {
      operators_.push_back({.uid = facts.uid,
                            .id = OperatorIdOfUid(facts.uid),
                            .max_parallelism = facts.max_parallelism,
                            .signature = facts.signature,
                            .subtasks = std::vector<SubtaskSnapshot>(vertex.parallelism)});
    }
  }
  for (uint32_t i = 0; i < tasks.task_count(); ++i) {
    const Task& task = tasks.tasks()[i];
    if (task.state != TaskState::kFinished) continue;
    ledger_.SetFinished(i);
    const size_t chain_size = tasks.VertexOf(task).operators.size();
    for (size_t k = 0; k < chain_size; ++k) {
      operators_[first_operators_[task.vertex] + k].subtasks[ToInt(task.subtask)].finished = true;
    }
  }
}

void PendingCheckpoint::SetHooksDone(std::vector<MasterHookState> states) {
  WEIR_CHECK(phase_ == PendingPhase::kHooks);
  hook_states_ = std::move(states);
  phase_ = PendingPhase::kAwaiting;
}

absl::Status PendingCheckpoint::Acknowledge(uint32_t task, const TaskTable& tasks, AckFacts ack,
                                            AckLedger::Mark* mark) {
  WEIR_CHECK(phase_ != PendingPhase::kHooks);
  WEIR_CHECK(ack.id == id());
  const Task& from = tasks.tasks()[task];
  const VertexFacts& vertex = tasks.VertexOf(from);
  for (const auto& [uid, state] : ack.states) {
    if (Runs(vertex, uid)) continue;
    return absl::InvalidArgumentError(absl::StrCat("task ", tasks.NameOf(task),
                                                   " acknowledged state of operator ", uid,
                                                   ", which it does not run"));
  }
  *mark = ledger_.Acknowledge(task);
  if (*mark != AckLedger::Mark::kFirst) return absl::OkStatus();
  for (size_t k = 0; k < vertex.operators.size(); ++k) {
    SubtaskSnapshot& snapshot =
        operators_[first_operators_[from.vertex] + k].subtasks[ToInt(from.subtask)];
    snapshot.finished = ack.finished;
    const auto state = ack.states.find(vertex.operators[k].uid);
    if (state == ack.states.end()) continue;
    snapshot.state = std::move(state->second);
    state_bytes_ += StateBytes(snapshot.state);
  }
  alignment_bytes_ += ack.metrics.alignment_bytes;
  return absl::OkStatus();
}

CheckpointMetadata PendingCheckpoint::TakeMetadata() {
  WEIR_CHECK(IsFullyAcknowledged());
  phase_ = PendingPhase::kFinalizing;
  std::sort(operators_.begin(), operators_.end(),
            [](const OperatorSnapshot& a, const OperatorSnapshot& b) { return a.uid < b.uid; });
  return {.job_id = job_.job,
          .job_name = job_.name,
          .id = id(),
          .triggered_at = barrier_.triggered_at,
          .kind = kind(),
          .max_parallelism = job_.max_parallelism,
          .operators = std::exchange(operators_, {}),
          .master_hooks = std::exchange(hook_states_, {})};
}

void PendingCheckpoint::SetStoreUnknown() {
  WEIR_CHECK(IsFinalizing());
  phase_ = PendingPhase::kStoreUnknown;
  ++store_unknown_count_;
}

std::string PendingCheckpoint::DescribeMissing(const TaskTable& tasks) const {
  std::string names;
  uint32_t count = 0;
  for (uint32_t i = 0; i < ledger_.task_count(); ++i) {
    if (!ledger_.IsAwaited(i)) continue;
    if (count < kNamesShownMax) absl::StrAppend(&names, count == 0 ? "" : ", ", tasks.NameOf(i));
    ++count;
  }
  if (count == 0) return "none";
  if (count > kNamesShownMax) absl::StrAppend(&names, " and ", count - kNamesShownMax, " more");
  return names;
}

CheckpointStats PendingCheckpoint::Stats() const {
  return {.id = id(),
          .kind = kind(),
          .status = CheckpointStatus::kInProgress,
          .triggered_at = barrier_.triggered_at,
          .duration = absl::ZeroDuration(),
          .state_bytes = state_bytes_,
          .alignment_bytes = alignment_bytes_,
          .acknowledged = ledger_.acknowledged_count() + ledger_.finished_count(),
          .required = ledger_.task_count(),
          .reason = std::nullopt,
          .cause = {},
          .location = location()};
}

}  // namespace weir::checkpoint
