#include "taskmanager/operators/aggregate_operator.h"

#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/counted_emit.h"
#include "taskmanager/operators/group_updater.h"
#include "taskmanager/operators/net_changes.h"
#include "taskmanager/operators/value_table.h"

namespace weir::operators {

struct AggregateOperator::State final : OperatorState {
  State(const GroupPlan& plan, SubtaskContext& subtask)
      : context(subtask),
        updater(plan, subtask.metrics),
        changes(plan, subtask.metrics),
        groups(plan, subtask.metrics) {}

  GroupTables tables() { return {table, value_states}; }

  SubtaskContext& context;
  state::StateTable* table = nullptr;
  std::vector<state::StateTable*> value_states;  // one per value use
  // emit: at_end: holds an element once the final rows are out. A restore after that must not give
  // them again: the groups are gone, and the global group's row of an empty input is remembered.
  state::ListState* emitted = nullptr;
  types::KeyBatch keys;  // of the batch being applied
  GroupUpdater updater;
  NetChanges changes;   // to be emitted
  GroupEmitter groups;  // at the end
  bool is_ending = false;
};

namespace {

AccumulatorUse UseFor(const graph::AggregateSpec& spec) {
  if (!spec.input_is_updating) return {};
  return {Retraction::kPossible, SumRange::kExact};
}

}  // namespace

AggregateOperator::AggregateOperator(graph::AggregateSpec spec, std::string step_id,
                                     types::SchemaPtr input, types::SchemaPtr output)
    : spec_(std::move(spec)),
      keys_(std::move(input), KeyColumns(spec_.key_count)),
      layout_(spec_, UseFor(spec_)),
      errors_(std::move(step_id), spec_.on_error),
      plan_{.schema = std::move(output),
            .key_count = spec_.key_count,
            .keys = &keys_,
            .layout = &layout_,
            .errors = &errors_} {
  WEIR_CHECK(!spec_.window.has_value());
  WEIR_CHECK(spec_.emit != graph::EmitMode::kOnClose);
}

absl::StatusOr<std::unique_ptr<OperatorState>> AggregateOperator::NewState(
    SubtaskContext& context) const {
  auto state = std::make_unique<State>(plan_, context);
  WEIR_ASSIGN_OR_RETURN(state->table,
                        context.keyed.Register(AccumulatorStateSpec(layout_, keys_.is_fixed())));
  for (size_t i = 0; i < layout_.value_uses().size(); ++i) {
    const ValueUse& use = layout_.value_uses()[i];
    WEIR_ASSIGN_OR_RETURN(state::StateTable * table,
                          context.keyed.Register(ValueStateSpec(use, i, layout_.retraction())));
    state->value_states.push_back(table);
  }
  if (spec_.emit == graph::EmitMode::kAtEnd) {
    WEIR_ASSIGN_OR_RETURN(state->emitted,
                          context.lists.Register("emitted", state::ListMode::kUnion));
  }
  return state;
}

absl::Status AggregateOperator::Open(OperatorState& operator_state) const {
  State& state = static_cast<State&>(operator_state);
  return state.updater.Open(state.value_states);
}

absl::StatusOr<Verdict> AggregateOperator::OnBatch(const types::BatchPtr& batch,
                                                   OperatorState& operator_state,
                                                   BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  CountIn(*batch, state.context.metrics);
  EncodeKeys(keys_, *batch, &state.keys);
  const GroupRows rows{batch.get(), &state.keys, types::IdentityRows(batch->size())};
  WEIR_RETURN_IF_ERROR(state.updater.Find(rows, state.table));
  if (spec_.emit == graph::EmitMode::kUpdating) return ApplyAndEmit(batch, rows, state, out);
  WEIR_RETURN_IF_ERROR(state.updater.Apply(rows, state.tables()));
  if (state.updater.MayHaveEmpty()) {
    state.updater.Touch();
    WEIR_RETURN_IF_ERROR(state.updater.FindExisting());
    WEIR_RETURN_IF_ERROR(state.updater.EraseEmpty(rows, state.table));
  }
  return Verdict::kDone;
}

absl::StatusOr<Verdict> AggregateOperator::ApplyAndEmit(const types::BatchPtr& batch,
                                                        const GroupRows& rows, State& state,
                                                        BatchSink& out) const {
  const TouchedGroups& touched = state.updater.Touch();
  state.changes.TakeBefore(touched, *state.table);
  WEIR_RETURN_IF_ERROR(state.updater.Apply(rows, state.tables()));
  WEIR_RETURN_IF_ERROR(state.updater.FindExisting());
  WEIR_RETURN_IF_ERROR(
      state.changes.TakeAfter(batch, touched, state.updater.exists(), *state.table));
  WEIR_RETURN_IF_ERROR(state.updater.EraseEmpty(rows, state.table));
  return Resume(state, out);
}

absl::StatusOr<Verdict> AggregateOperator::OnEndOfData(OperatorState& operator_state,
                                                       BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  if (spec_.emit != graph::EmitMode::kAtEnd) return Verdict::kDone;
  if (spec_.key_count == 0 && state.table->size() == 0) {
    if (!state.emitted->elements.empty()) return Verdict::kDone;
    state.emitted->elements.assign(1, "1");
    const uint32_t group =
        state::KeyGroupOfHash(types::HashKeyBytes(StringView()), state.context.max_parallelism);
    if (state.table->shape().range.Contains(group)) {
      WEIR_RETURN_IF_ERROR(state.groups.EmitEmpty(*state.table, out));
    }
    return Verdict::kDone;
  }
  state.groups.Start(*state.table, absl::nullopt);
  state.is_ending = true;
  return Resume(state, out);
}

absl::StatusOr<Verdict> AggregateOperator::Resume(OperatorState& operator_state,
                                                  BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  for (int i = 0; i < kEmitBatchesMax && state.changes.IsActive(); ++i) state.changes.EmitNext(out);
  if (state.changes.IsActive()) return Verdict::kBlocked;
  for (int i = 0; i < kEmitBatchesMax && state.groups.IsActive(); ++i) {
    WEIR_RETURN_IF_ERROR(state.groups.EmitNext(out));
  }
  if (state.groups.IsActive()) return Verdict::kBlocked;
  if (state.is_ending) ForgetEmitted(state);
  return Verdict::kDone;
}

void AggregateOperator::ForgetEmitted(State& state) const {
  state.is_ending = false;
  state.table->Clear();
  for (state::StateTable* values : state.value_states) values->Clear();
  state.emitted->elements.assign(1, "1");
}

}  // namespace weir::operators
