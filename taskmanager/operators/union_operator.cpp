#include "taskmanager/operators/union_operator.h"

#include "taskmanager/operators/counted_emit.h"

namespace weir::operators {
namespace {

struct UnionState final : OperatorState {
  explicit UnionState(SubtaskContext& subtask) : context(subtask) {}
  SubtaskContext& context;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OperatorState>> UnionOperator::NewState(
    SubtaskContext& context) const {
  return std::make_unique<UnionState>(context);
}

absl::StatusOr<Verdict> UnionOperator::OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                               BatchSink& out) const {
  OperatorMetrics& metrics = static_cast<UnionState&>(state).context.metrics;
  CountIn(*batch, metrics);
  if (batch->size() > 0) EmitCounted(batch, metrics, out);
  return Verdict::kDone;
}

}  // namespace weir::operators
