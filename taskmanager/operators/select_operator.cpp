#include "taskmanager/operators/select_operator.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/expr/bound_expr.h"
#include "taskmanager/operators/changes.h"
#include "taskmanager/operators/counted_emit.h"

namespace weir::operators {

struct SelectOperator::State final : OperatorState {
  explicit State(SubtaskContext& subtask) : context(subtask) {}
  SubtaskContext& context;
  expr::EvalErrors errors;
};

namespace {

bool OnlyProjects(const graph::SelectSpec& spec) {
  return std::all_of(spec.columns.begin(), spec.columns.end(), [](const graph::NamedExpr& column) {
    return column.expr->column().has_value();
  });
}

types::PodVector<uint32_t> Copy(absl::Span<const uint32_t> rows) {
  return types::PodVector<uint32_t>(rows.begin(), rows.end());
}

// Numbers in `rows` of those of its elements that are in `kept`; both ascend.
types::PodVector<uint32_t> PositionsOf(absl::Span<const uint32_t> kept,
                                       absl::Span<const uint32_t> rows) {
  types::PodVector<uint32_t> positions;
  positions.reserve(kept.size());
  for (size_t i = 0; i < rows.size() && positions.size() < kept.size(); ++i) {
    if (rows[i] == kept[positions.size()]) positions.push_back(static_cast<uint32_t>(i));
  }
  return positions;
}

}  // namespace

SelectOperator::SelectOperator(const graph::SelectSpec& spec, std::string step_id,
                               types::SchemaPtr schema)
    : spec_(spec),
      schema_(std::move(schema)),
      errors_(std::move(step_id), spec.on_error),
      only_projects_(OnlyProjects(spec)) {
}

absl::StatusOr<std::unique_ptr<OperatorState>> SelectOperator::NewState(
    SubtaskContext& context) const {
  return std::make_unique<State>(context);
}

types::BatchPtr SelectOperator::Project(const types::RecordBatch& batch,
                                        types::PodVector<uint32_t> kept) const {
  types::RecordBatch::Parts parts{.schema = schema_,
                                  .columns = {},
                                  .physical_rows = batch.physical_rows(),
                                  .changes = batch.changes(),
                                  .event_times = batch.event_times_buffer()};
  for (const graph::NamedExpr& column : spec_.columns) {
    parts.columns.push_back(batch.column_ptr(*column.expr->column()));
  }
  if (kept.size() < batch.size()) parts.changes = ChangesOfKept(batch, kept);
  types::BatchPtr projected = types::RecordBatch::Make(std::move(parts));
  if (kept.size() == batch.physical_rows()) return projected;
  return types::RecordBatch::Select(*projected, std::move(kept));
}

absl::StatusOr<types::BatchPtr> SelectOperator::Compute(const types::RecordBatch& batch,
                                                        absl::Span<const uint32_t> rows,
                                                        State& state) const {
  const bool is_whole = rows.size() == batch.physical_rows();
  std::vector<types::ColumnPtr> columns;
  columns.reserve(spec_.columns.size());
  for (size_t i = 0; i < spec_.columns.size(); ++i) {
    const expr::BoundExpr& expression = *spec_.columns[i].expr;
    if (is_whole && expression.column().has_value()) {
      columns.push_back(batch.column_ptr(*expression.column()));
      continue;
    }
    state.errors.SetExpression(i);
    WEIR_ASSIGN_OR_RETURN(types::ColumnPtr column,
                          expr::Evaluate(expression, batch, rows, &state.errors));
    columns.push_back(std::move(column));
  }
  const bool has_failed = state.errors.any();
  const types::PodVector<uint32_t> kept =
      has_failed ? state.errors.Without(rows) : types::PodVector<uint32_t>();
  const absl::Span<const uint32_t> kept_rows = has_failed ? absl::MakeConstSpan(kept) : rows;
  types::Buffer changes = ChangesOfKept(batch, kept_rows);
  types::RecordBatch::Parts parts{
      .schema = schema_,
      .columns = std::move(columns),
      .physical_rows = rows.size(),
      .changes = is_whole ? std::move(changes) : GatherChanges(changes, rows),
      .event_times = is_whole ? batch.event_times_buffer()
                              : GatherEventTimes(batch.event_times_buffer(), rows)};
  types::BatchPtr computed = types::RecordBatch::Make(std::move(parts));
  if (!has_failed) return computed;
  return types::RecordBatch::Select(*computed, PositionsOf(kept, rows));
}

absl::StatusOr<Verdict> SelectOperator::OnBatch(const types::BatchPtr& batch,
                                                OperatorState& operator_state,
                                                BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  OperatorMetrics& metrics = state.context.metrics;
  CountIn(*batch, metrics);
  state.errors.Reset();
  types::PodVector<uint32_t> passed;
  if (spec_.where != nullptr) {
    passed = expr::EvaluatePredicate(*spec_.where, *batch, batch->rows(), &state.errors);
    WEIR_RETURN_IF_ERROR(errors_.Handle(state.errors, "where", metrics));
    state.errors.Reset();
    if (passed.empty()) return Verdict::kDone;
  }
  const absl::Span<const uint32_t> rows =
      spec_.where != nullptr ? absl::MakeConstSpan(passed) : batch->rows();
  if (only_projects_) {
    EmitCounted(Project(*batch, Copy(rows)), metrics, out);
    return Verdict::kDone;
  }
  WEIR_ASSIGN_OR_RETURN(types::BatchPtr computed, Compute(*batch, rows, state));
  if (state.errors.any()) {
    const std::string& column = spec_.columns[state.errors.first_expression()].name;
    WEIR_RETURN_IF_ERROR(
        errors_.Handle(state.errors, absl::StrCat("column '", column, "'"), metrics));
  }
  if (computed->size() > 0) EmitCounted(std::move(computed), metrics, out);
  return Verdict::kDone;
}

}  // namespace weir::operators
