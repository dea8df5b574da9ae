#include "tests/unit/taskmanager/operators/operator_harness.h"

#include <utility>

#include <catch2/catch.hpp>

#include "common/base/status_macros.h"
#include "common/state/key_group.h"
#include "tests/unit/taskmanager/operators/memory_snapshots.h"

namespace weir::operators {
namespace {

using types::ChangeKind;

void RequireOk(const absl::Status& status) {
  INFO(status.ToString());
  REQUIRE(status.ok());
}

// Rows before and after an update stand together.
void RequirePairs(const types::RecordBatch& batch) {
  const absl::Span<const uint32_t> rows = batch.rows();
  for (size_t i = 0; i < rows.size(); ++i) {
    const ChangeKind kind = batch.change(rows[i]);
    if (kind == ChangeKind::kUpdateBefore) {
      REQUIRE(i + 1 < rows.size());
      REQUIRE(batch.change(rows[i + 1]) == ChangeKind::kUpdateAfter);
    } else if (kind == ChangeKind::kUpdateAfter) {
      REQUIRE(i > 0);
      REQUIRE(batch.change(rows[i - 1]) == ChangeKind::kUpdateBefore);
    }
  }
}

}  // namespace

void CheckingSink::Emit(types::BatchPtr batch) {
  REQUIRE(batch != nullptr);
  REQUIRE(batch->size() > 0);
  REQUIRE(++emitted_in_call_ <= kEmitBatchesMax);
  RequirePairs(*batch);
  batches_.push_back(std::move(batch));
}

OperatorHarness::OperatorHarness(const Operator& op, SubtaskPlace place)
    : op_(op),
      keyed_(state::RangeOfSubtask(place.subtask, place.parallelism, place.max_parallelism),
             place.max_parallelism),
      context_{.job = JobId{1, 1},
               .attempt = AttemptId{2, place.subtask},
               .attempt_number = 0,
               .node_id = "node",
               .subtask = place.subtask,
               .parallelism = place.parallelism,
               .max_parallelism = place.max_parallelism,
               .restored = kNoCheckpoint,
               .keyed = keyed_,
               .lists = lists_,
               .metrics = metrics_,
               .clock = clock_,
               .files = files_} {
}

absl::Status OperatorHarness::TryStart(const std::vector<state::OperatorSubtaskState>& restored) {
  if (!restored.empty()) context_.restored = CheckpointId{1};
  absl::StatusOr<std::unique_ptr<OperatorState>> state = op_.NewState(context_);
  WEIR_RETURN_IF_ERROR(state.status());
  state_ = *std::move(state);
  std::vector<state::KeyedStateHandle> keyed;
  std::vector<state::OperatorStateHandle> lists;
  for (const state::OperatorSubtaskState& piece : restored) {
    keyed.insert(keyed.end(), piece.keyed_managed.begin(), piece.keyed_managed.end());
    lists.insert(lists.end(), piece.operator_managed.begin(), piece.operator_managed.end());
  }
  const MemoryInputs inputs;
  WEIR_RETURN_IF_ERROR(keyed_.Restore(keyed, inputs));
  WEIR_RETURN_IF_ERROR(lists_.Restore(lists, inputs));
  return op_.Open(*state_);
}

void OperatorHarness::Start(const std::vector<state::OperatorSubtaskState>& restored) {
  RequireOk(TryStart(restored));
}

absl::Status OperatorHarness::Drive(absl::StatusOr<Verdict> verdict) {
  WEIR_RETURN_IF_ERROR(verdict.status());
  while (*verdict == Verdict::kBlocked) {
    ++blocked_count_;
    sink_.BeginCall();
    verdict = op_.Resume(*state_, sink_);
    WEIR_RETURN_IF_ERROR(verdict.status());
  }
  return absl::OkStatus();
}

absl::Status OperatorHarness::TryPush(const types::BatchPtr& batch) {
  sink_.BeginCall();
  return Drive(op_.OnBatch(batch, *state_, sink_));
}

void OperatorHarness::Push(const types::BatchPtr& batch) {
  RequireOk(TryPush(batch));
}

absl::Status OperatorHarness::TryWatermark(EventTimeUs time) {
  sink_.BeginCall();
  return Drive(op_.OnWatermark(time, *state_, sink_));
}

void OperatorHarness::Watermark(EventTimeUs time) {
  RequireOk(TryWatermark(time));
}

absl::Status OperatorHarness::TryEnd() {
  WEIR_RETURN_IF_ERROR(TryWatermark(kEventTimeMax));
  sink_.BeginCall();
  return Drive(op_.OnEndOfData(*state_, sink_));
}

void OperatorHarness::End() {
  RequireOk(TryEnd());
}

state::OperatorSubtaskState OperatorHarness::Snapshot() {
  std::vector<absl::AnyInvocable<absl::Status()>> parts;
  const SnapshotRequest request{CheckpointId{next_checkpoint_++}, {}, &parts};
  sink_.BeginCall();
  RequireOk(op_.PrepareSnapshot(*state_, sink_));
  RequireOk(op_.Snapshot(request, *state_));
  for (auto& part : parts) RequireOk(part());
  state::OperatorSubtaskState pieces;
  MemoryOutput keyed_output;
  const auto keyed = keyed_.Snapshot()->Write(keyed_output);
  RequireOk(keyed.status());
  MemoryOutput list_output;
  const auto lists = lists_.Snapshot().Write(list_output);
  RequireOk(lists.status());
  pieces.keyed_managed.push_back(*keyed);
  pieces.operator_managed.push_back(*lists);
  return pieces;
}

}  // namespace weir::operators
