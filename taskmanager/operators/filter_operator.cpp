#include "taskmanager/operators/filter_operator.h"

#include <utility>

#include "common/base/status_macros.h"
#include "taskmanager/operators/changes.h"
#include "taskmanager/operators/counted_emit.h"

namespace weir::operators {
namespace {

struct FilterState final : OperatorState {
  explicit FilterState(SubtaskContext& subtask) : context(subtask) {}
  SubtaskContext& context;
  expr::EvalErrors errors;
};

types::BatchPtr Keep(const types::BatchPtr& batch, types::PodVector<uint32_t> kept) {
  if (kept.size() == batch->size()) return batch;
  if (!batch->HasChanges()) return types::RecordBatch::Select(*batch, std::move(kept));
  types::RecordBatch::Parts parts{.schema = batch->schema_ptr(),
                                  .columns = batch->columns(),
                                  .physical_rows = batch->physical_rows(),
                                  .changes = ChangesOfKept(*batch, kept),
                                  .event_times = batch->event_times_buffer()};
  const types::BatchPtr changed = types::RecordBatch::Make(std::move(parts));
  return types::RecordBatch::Select(*changed, std::move(kept));
}

}  // namespace

absl::StatusOr<std::unique_ptr<OperatorState>> FilterOperator::NewState(
    SubtaskContext& context) const {
  return std::make_unique<FilterState>(context);
}

absl::StatusOr<Verdict> FilterOperator::OnBatch(const types::BatchPtr& batch,
                                                OperatorState& operator_state,
                                                BatchSink& out) const {
  FilterState& state = static_cast<FilterState&>(operator_state);
  CountIn(*batch, state.context.metrics);
  state.errors.Reset();
  types::PodVector<uint32_t> kept =
      expr::EvaluatePredicate(*where_, *batch, batch->rows(), &state.errors);
  WEIR_RETURN_IF_ERROR(errors_.Handle(state.errors, "where", state.context.metrics));
  if (!kept.empty()) EmitCounted(Keep(batch, std::move(kept)), state.context.metrics, out);
  return Verdict::kDone;
}

}  // namespace weir::operators
