#include "taskmanager/operators/window_aggregate_operator.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/counted_emit.h"
#include "taskmanager/operators/group_updater.h"
#include "taskmanager/operators/value_table.h"
#include "taskmanager/operators/window_merger.h"

namespace weir::operators {

// Rows of a batch that fall into one slice.
struct WindowAggregateOperator::SliceRows {
  Slice slice;
  types::PodVector<uint32_t> positions;  // into the batch's rows()
};

struct WindowAggregateOperator::State final : OperatorState {
  State(const GroupPlan& plan, SubtaskContext& subtask)
      : context(subtask),
        updater(plan, subtask.metrics),
        merger(plan),
        groups(plan, subtask.metrics) {}

  SubtaskContext& context;
  state::NamespacedTable* slices = nullptr;
  std::vector<state::NamespacedTable*> value_slices;  // one per value use
  state::ListState* stored_watermark = nullptr;
  EventTimeUs closed = kEventTimeMin;  // windows that end at closed + 1 or before have closed

  // Of the batch being applied; kept for their memory.
  types::KeyBatch keys;
  std::vector<SliceRows> dealt;
  size_t dealt_count = 0;
  absl::flat_hash_map<int64_t, size_t> dealt_index;  // slice start to its place in `dealt`
  std::vector<state::StateTable*> slice_values;
  GroupUpdater updater;

  // Of the watermark being applied.
  EventTimeUs target = kEventTimeMin;
  int64_t window_end = 0;                        // of the window being emitted
  const state::StateTable* any_slice = nullptr;  // of that window
  std::vector<std::vector<state::StateTable*>> window_values;
  WindowMerger merger;
  bool is_merging = false;
  GroupEmitter groups;
};

namespace {

constexpr char kWatermarkList[] = "watermark";

// Entries merged in one call of the operator.
constexpr int kMergeStepsMax = 64;

// Hopping windows are merged from slices.
AccumulatorUse UseFor(const WindowAssigner& windows) {
  return {Retraction::kNever, windows.IsTumbling() ? SumRange::kChecked : SumRange::kExact};
}

}  // namespace

WindowAggregateOperator::WindowAggregateOperator(graph::AggregateSpec spec, std::string step_id,
                                                 types::SchemaPtr input, types::SchemaPtr output)
    : spec_(std::move(spec)),
      windows_(*spec_.window),
      keys_(std::move(input), KeyColumns(spec_.key_count)),
      layout_(spec_, UseFor(windows_)),
      errors_(std::move(step_id), spec_.on_error),
      plan_{.schema = std::move(output),
            .key_count = spec_.key_count,
            .keys = &keys_,
            .layout = &layout_,
            .errors = &errors_} {
  WEIR_CHECK(!spec_.input_is_updating);
}

absl::StatusOr<std::unique_ptr<OperatorState>> WindowAggregateOperator::NewState(
    SubtaskContext& context) const {
  auto state = std::make_unique<State>(plan_, context);
  WEIR_ASSIGN_OR_RETURN(state->slices, context.keyed.RegisterNamespaced(
                                           AccumulatorStateSpec(layout_, keys_.is_fixed())));
  for (size_t i = 0; i < layout_.value_uses().size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(state::NamespacedTable * values,
                          context.keyed.RegisterNamespaced(
                              ValueStateSpec(layout_.value_uses()[i], i, layout_.retraction())));
    state->value_slices.push_back(values);
  }
  WEIR_ASSIGN_OR_RETURN(state->stored_watermark,
                        context.lists.Register(kWatermarkList, state::ListMode::kUnion));
  return state;
}

absl::Status WindowAggregateOperator::Open(OperatorState& operator_state) const {
  State& state = static_cast<State&>(operator_state);
  const std::vector<std::string>& stored = state.stored_watermark->elements;
  if (stored.empty()) return absl::OkStatus();
  state.closed = kEventTimeMax;
  for (const std::string& element : stored) {
    if (element.size() != sizeof(EventTimeUs)) {
      return absl::DataLossError("a stored watermark that is not 8 bytes long");
    }
    state.closed = std::min(state.closed, LoadAs<EventTimeUs>(element.data()));
  }
  return absl::OkStatus();
}

absl::Status WindowAggregateOperator::Snapshot(const SnapshotRequest& request,
                                               OperatorState& operator_state) const {
  State& state = static_cast<State&>(operator_state);
  std::string element(sizeof(EventTimeUs), '\0');
  StoreAs(element.data(), state.closed);
  state.stored_watermark->elements.assign(1, element);
  return absl::OkStatus();
}

// Sorts the rows by slice into state.dealt; late ones are left out and counted.
absl::Status WindowAggregateOperator::DealRows(const types::RecordBatch& batch,
                                               State& state) const {
  if (!batch.HasEventTimes()) return absl::InternalError("rows without event time in a window");
  const EventTimeUs* times = batch.event_times();
  const absl::Span<const uint32_t> rows = batch.rows();
  state.dealt_count = 0;
  state.dealt_index.clear();
  SliceRows* last = nullptr;
  int64_t uncovered = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const EventTimeUs time = times[rows[i]];
    if (last == nullptr || !last->slice.Contains(time)) {
      if (!windows_.Covers(time)) {
        ++uncovered;
        continue;
      }
      const Slice slice = windows_.SliceOf(time);
      const auto [place, is_new] = state.dealt_index.try_emplace(slice.start, state.dealt_count);
      if (is_new) {
        if (state.dealt_count == state.dealt.size()) state.dealt.emplace_back();
        state.dealt[state.dealt_count].slice = slice;
        state.dealt[state.dealt_count++].positions.clear();
      }
      last = &state.dealt[place->second];
    }
    last->positions.push_back(static_cast<uint32_t>(i));
  }
  if (uncovered == 0) return absl::OkStatus();
  return errors_.Handle(
      uncovered, "", "an event time with a window that reaches outside of the years 0001 to 9999",
      state.context.metrics);
}

absl::Status WindowAggregateOperator::AddToSlice(const types::RecordBatch& batch,
                                                 const SliceRows& rows, State& state) const {
  OperatorMetrics& metrics = state.context.metrics;
  const int64_t count = static_cast<int64_t>(rows.positions.size());
  if (rows.slice.last_window_end - 1 <= state.closed) {
    OperatorMetrics::Add(metrics.rows_late, count);
    return absl::OkStatus();
  }
  if (rows.slice.first_window_end - 1 <= state.closed) {
    OperatorMetrics::Add(metrics.rows_partially_late, count);
    if (state.merger.Includes(rows.slice.start)) state.merger.Clear();
  }
  state::StateTable& accumulators = state.slices->Namespace(rows.slice.start);
  state.slice_values.clear();
  for (state::NamespacedTable* values : state.value_slices) {
    state.slice_values.push_back(&values->Namespace(rows.slice.start));
  }
  const GroupRows group_rows{&batch, &state.keys, rows.positions};
  WEIR_RETURN_IF_ERROR(state.updater.Find(group_rows, &accumulators));
  WEIR_RETURN_IF_ERROR(state.updater.Apply(group_rows, {&accumulators, state.slice_values}));
  if (!state.updater.MayHaveEmpty()) return absl::OkStatus();
  state.updater.Touch();
  WEIR_RETURN_IF_ERROR(state.updater.FindExisting());
  return state.updater.EraseEmpty(group_rows, &accumulators);
}

absl::StatusOr<Verdict> WindowAggregateOperator::OnBatch(const types::BatchPtr& batch,
                                                         OperatorState& operator_state,
                                                         BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  CountIn(*batch, state.context.metrics);
  EncodeKeys(keys_, *batch, &state.keys);
  WEIR_RETURN_IF_ERROR(DealRows(*batch, state));
  for (size_t i = 0; i < state.dealt_count; ++i) {
    WEIR_RETURN_IF_ERROR(AddToSlice(*batch, state.dealt[i], state));
  }
  return Verdict::kDone;
}

absl::StatusOr<Verdict> WindowAggregateOperator::OnWatermark(EventTimeUs time,
                                                             OperatorState& operator_state,
                                                             BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  // After a restore the input's watermark starts anew, below what has closed.
  if (time <= state.closed) return Verdict::kDone;
  state.target = time;
  return Resume(state, out);
}

absl::optional<int64_t> WindowAggregateOperator::NextEnd(const Slice& slice,
                                                         EventTimeUs closed) const {
  if (slice.last_window_end - 1 <= closed) return absl::nullopt;
  if (slice.first_window_end - 1 > closed) return slice.first_window_end;
  const int64_t passed = (closed - (slice.first_window_end - 1)) / windows_.slide() + 1;
  return slice.first_window_end + passed * windows_.slide();
}

void WindowAggregateOperator::DropSlice(int64_t start, State& state) const {
  state.slices->Drop(start);
  for (state::NamespacedTable* values : state.value_slices) values->Drop(start);
}

// The next window to close is the first open one of the first slice that is in any: later slices
// are in later windows. False: none closes up to the target.
bool WindowAggregateOperator::StartNextWindow(State& state) const {
  const auto& tables = state.slices->tables();
  for (auto slice = tables.begin(); slice != tables.end();) {
    const int64_t start = slice->first;
    const absl::optional<int64_t> end = NextEnd(windows_.SliceOf(start), state.closed);
    if (end.has_value() && *end - 1 > state.target) return false;
    if (end.has_value()) {
      StartEmitting(*end, state);
      return true;
    }
    ++slice;
    // What the last window was merged from is yet to be subtracted.
    if (!state.merger.Includes(start)) DropSlice(start, state);
  }
  state.merger.Clear();
  while (!tables.empty()) DropSlice(tables.begin()->first, state);
  return false;
}

WindowSlice WindowAggregateOperator::SliceAt(int64_t start, State& state) const {
  std::vector<state::StateTable*>& values = state.window_values.emplace_back();
  for (state::NamespacedTable* table : state.value_slices) {
    values.push_back(&table->Namespace(start));
  }
  return {start, {state.slices->Find(start), values}};
}

void WindowAggregateOperator::StartEmitting(int64_t window_end, State& state) const {
  const auto& tables = state.slices->tables();
  const int64_t window_start = window_end - windows_.size();
  const auto first = tables.lower_bound(window_start);
  const auto last = tables.lower_bound(window_end);
  state.window_end = window_end;
  state.any_slice = first->second.get();
  state.is_merging = std::next(first) != last || !state.merger.included().empty();
  if (!state.is_merging) {
    state.groups.Start(*state.any_slice, WindowBounds{window_start, window_end});
    return;
  }
  state.window_values.clear();
  std::vector<WindowSlice> slices;
  std::vector<WindowSlice> leaving;
  for (auto slice = first; slice != last; ++slice) {
    slices.push_back(SliceAt(slice->first, state));
  }
  for (const int64_t start : state.merger.included()) {
    if (start < window_start) leaving.push_back(SliceAt(start, state));
  }
  state.merger.Start(slices, leaving);
}

void WindowAggregateOperator::FinishWindow(State& state) const {
  state.closed = state.window_end - 1;
  state.merger.FinishWindow();
}

absl::StatusOr<Verdict> WindowAggregateOperator::Resume(OperatorState& operator_state,
                                                        BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  int emitted = 0;
  int merged = 0;
  while (true) {
    if (state.merger.IsActive()) {
      if (merged++ == kMergeStepsMax) return Verdict::kBlocked;
      WEIR_RETURN_IF_ERROR(state.merger.Step());
    } else if (state.is_merging) {
      state.is_merging = false;
      state.groups.Start(state.merger.groups(), *state.any_slice,
                         WindowBounds{state.window_end - windows_.size(), state.window_end});
    } else if (state.groups.IsActive()) {
      if (emitted++ == kEmitBatchesMax) return Verdict::kBlocked;
      WEIR_RETURN_IF_ERROR(state.groups.EmitNext(out));
      if (!state.groups.IsActive()) FinishWindow(state);
    } else if (!StartNextWindow(state)) {
      state.closed = std::max(state.closed, state.target);
      return Verdict::kDone;
    }
  }
}

}  // namespace weir::operators
