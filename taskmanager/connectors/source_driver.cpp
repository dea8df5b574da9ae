#include "taskmanager/connectors/source_driver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/expr/evaluator.h"
#include "taskmanager/connectors/rate_limiter.h"
#include "taskmanager/connectors/split_watermark.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::connectors {
namespace {

using operators::PollResult;
using operators::PollVerdict;

struct DriverState final : operators::OperatorState {
  explicit DriverState(operators::SubtaskContext& subtask_context) : context(subtask_context) {}

  operators::SubtaskContext& context;
  state::ListState* splits_list = nullptr;
  state::ListState* started_list = nullptr;

  std::vector<Split> splits;
  std::unique_ptr<SplitReader> reader;
  absl::optional<RateLimiter> limiter;
  EventTimeUs watermark = kEventTimeMin;  // emitted last
  absl::Duration last_row_at;
  bool is_idle = false;
  ReadRows rows;  // kept for its memory
  expr::EvalErrors eval_errors;

  bool IsFinished() const {
    return std::all_of(splits.begin(), splits.end(),
                       [](const Split& split) { return split.is_finished; });
  }
};

// The batch with its rows' event times. `rows`: those that have one.
types::BatchPtr WithEventTimes(const types::RecordBatch& batch, const types::Column& times,
                               types::PodVector<uint32_t> rows) {
  types::RecordBatch::Parts parts;
  parts.schema = batch.schema_ptr();
  parts.columns = batch.columns();
  parts.physical_rows = batch.physical_rows();
  parts.changes = batch.changes();
  const EventTimeUs* values = times.Values<EventTimeUs>();
  parts.event_times =
      types::Buffer::Of(types::PodVector<EventTimeUs>(values, values + batch.physical_rows()));
  types::BatchPtr timed = types::RecordBatch::Make(std::move(parts));
  if (rows.size() == batch.physical_rows()) return timed;
  return types::RecordBatch::Select(*timed, std::move(rows));
}

// Whoever starts a job with nothing restored is there to hear that its input is missing or closed
// to it: FAILED_PRECONDITION, which no restart tries again. Later it may be a disk that comes back.
absl::Status AtFirstStart(const absl::Status& status) {
  if (!absl::IsNotFound(status) && !absl::IsPermissionDenied(status)) return status;
  return absl::FailedPreconditionError(
      absl::StrCat(status.message(), ", or correct the source's options"));
}

class SourceDriver final : public operators::SourceOperator {
 public:
  SourceDriver(SourceDriverOptions options, std::unique_ptr<SplitSource> source)
      : options_(std::move(options)),
        source_(std::move(source)),
        row_errors_(options_.step_id, options_.on_error) {}

  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext& context) const override {
    auto state = std::make_unique<DriverState>(context);
    WEIR_ASSIGN_OR_RETURN(state->splits_list,
                          context.lists.Register(kSplitsList, state::ListMode::kSplitEven));
    WEIR_ASSIGN_OR_RETURN(state->started_list,
                          context.lists.Register(kStartedList, state::ListMode::kUnion));
    return state;
  }

  absl::Status Open(operators::OperatorState& operator_state) const override {
    DriverState& state = static_cast<DriverState&>(operator_state);
    // No split may mean that others have them all: only the union list tells a first start apart.
    const bool is_first_start = state.started_list->elements.empty();
    if (is_first_start) {
      absl::StatusOr<std::vector<Split>> all = source_->MakeSplits(state.context.files);
      if (!all.ok()) return AtFirstStart(all.status());
      state.splits = DealSplits(*std::move(all), state.context.subtask, state.context.parallelism);
    } else {
      for (const std::string& bytes : state.splits_list->elements) {
        WEIR_ASSIGN_OR_RETURN(Split split, DecodeSplit(bytes));
        state.splits.push_back(std::move(split));
      }
    }
    state.last_row_at = state.context.clock.SteadyNow();
    if (state.IsFinished()) return absl::OkStatus();
    absl::StatusOr<std::unique_ptr<SplitReader>> reader =
        source_->NewReader(state.context.files, state.splits);
    if (!reader.ok()) return is_first_start ? AtFirstStart(reader.status()) : reader.status();
    state.reader = *std::move(reader);
    if (options_.rows_per_second) {
      const double share =
          static_cast<double>(state.splits.size()) / static_cast<double>(state.splits[0].total);
      state.limiter.emplace(*options_.rows_per_second * share, state.last_row_at);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PollResult> Poll(operators::OperatorState& operator_state,
                                  operators::SourceSink& out) const override {
    DriverState& state = static_cast<DriverState&>(operator_state);
    if (state.IsFinished()) return PollResult{.verdict = PollVerdict::kFinished};
    // After a restore the watermark of then comes before the first row, so that a row that was late
    // is late again.
    EmitWatermark(state, out);
    int64_t rows_max = static_cast<int64_t>(types::kBatchRowsMax);
    const absl::Duration now = state.context.clock.SteadyNow();
    if (state.limiter) rows_max = std::min(rows_max, state.limiter->Available(now));
    if (rows_max == 0) return Wait(now, state, out);

    ReadRows& rows = state.rows;
    rows = ReadRows();
    WEIR_RETURN_IF_ERROR(state.reader->Read(static_cast<size_t>(rows_max), &state.splits, &rows));
    if (state.limiter && rows.batch != nullptr) {
      state.limiter->Take(static_cast<int64_t>(rows.batch->physical_rows()));
    }
    if (rows.bad_rows > 0) {
      WEIR_RETURN_IF_ERROR(
          row_errors_.Handle(rows.bad_rows, rows.bad_place, rows.bad_cause, state.context.metrics));
    }
    if (rows.batch != nullptr) WEIR_RETURN_IF_ERROR(EmitRows(now, state, out));
    EmitWatermark(state, out);
    return PollResult{.verdict = state.IsFinished() ? PollVerdict::kFinished : PollVerdict::kMore};
  }

  absl::Status Snapshot(const operators::SnapshotRequest&,
                        operators::OperatorState& operator_state) const override {
    DriverState& state = static_cast<DriverState&>(operator_state);
    state.splits_list->elements.clear();
    for (const Split& split : state.splits) {
      state.splits_list->elements.push_back(EncodeSplit(split));
    }
    state.started_list->elements = {std::string(1, '\1')};
    return absl::OkStatus();
  }

 private:
  bool HasWatermark() const { return options_.event_time && options_.event_time->has_watermark; }

  // Nothing may go now: says how long, and that the source is idle if it has been for too long.
  PollResult Wait(absl::Duration now, DriverState& state, operators::SourceSink& out) const {
    PollResult result{.verdict = PollVerdict::kWait, .wait_until = state.limiter->NextAt()};
    if (!HasWatermark() || options_.event_time->idle_timeout == absl::ZeroDuration() ||
        state.is_idle) {
      return result;
    }
    const absl::Duration idle_at = state.last_row_at + options_.event_time->idle_timeout;
    if (now >= idle_at) {
      state.is_idle = true;
      out.EmitIdle(true);
    } else {
      result.wait_until = std::min(result.wait_until, idle_at);
    }
    return result;
  }

  absl::Status EmitRows(absl::Duration now, DriverState& state, operators::SourceSink& out) const {
    types::BatchPtr batch = state.rows.batch;
    if (options_.event_time) {
      WEIR_ASSIGN_OR_RETURN(batch, AddEventTimes(*batch, state));
    }
    state.last_row_at = now;
    if (std::exchange(state.is_idle, false)) out.EmitIdle(false);
    if (batch->size() > 0) out.Emit(std::move(batch));
    return absl::OkStatus();
  }

  absl::StatusOr<types::BatchPtr> AddEventTimes(const types::RecordBatch& batch,
                                                DriverState& state) const {
    expr::EvalErrors& errors = state.eval_errors;
    errors.Reset();
    WEIR_ASSIGN_OR_RETURN(const types::ColumnPtr times,
                          expr::Evaluate(*options_.event_time->expr, batch, batch.rows(), &errors));
    types::PodVector<uint32_t> good;
    good.reserve(batch.size());
    absl::optional<uint32_t> first_bad;
    for (const uint32_t row : batch.rows()) {
      if (!times->IsNull(row)) {
        good.push_back(row);
      } else if (!first_bad) {
        first_bad = row;
      }
    }
    if (first_bad) {
      const bool failed = errors.any() && errors.first_row() == *first_bad;
      WEIR_RETURN_IF_ERROR(row_errors_.Handle(
          static_cast<int64_t>(batch.size() - good.size()),
          state.reader->Place(state.rows.row_places[*first_bad]),
          failed ? absl::StrCat("event time: ", errors.first_message()) : "the event time is NULL",
          state.context.metrics));
    }
    NoteEventTimes(*times, good, state);
    return WithEventTimes(batch, *times, std::move(good));
  }

  static void NoteEventTimes(const types::Column& times, const types::PodVector<uint32_t>& rows,
                             DriverState& state) {
    const EventTimeUs* values = times.Values<EventTimeUs>();
    if (state.rows.row_splits.empty()) {
      EventTimeUs highest = state.splits[state.rows.split].event_time_max;
      for (const uint32_t row : rows) highest = std::max(highest, values[row]);
      state.splits[state.rows.split].event_time_max = highest;
      return;
    }
    for (const uint32_t row : rows) {
      EventTimeUs& highest = state.splits[state.rows.row_splits[row]].event_time_max;
      highest = std::max(highest, values[row]);
    }
  }

  void EmitWatermark(DriverState& state, operators::SourceSink& out) const {
    if (!HasWatermark()) return;
    const EventTimeUs watermark =
        WatermarkOf(state.splits, absl::ToInt64Microseconds(options_.event_time->delay));
    // The end of the input brings the last watermark by itself.
    if (watermark <= state.watermark || watermark == kEventTimeMax) return;
    state.watermark = watermark;
    out.EmitWatermark(watermark);
  }

  const SourceDriverOptions options_;
  const std::unique_ptr<SplitSource> source_;
  const operators::RowErrors row_errors_;
};

}  // namespace

std::unique_ptr<operators::SourceOperator> MakeSourceDriver(SourceDriverOptions options,
                                                            std::unique_ptr<SplitSource> source) {
  return std::make_unique<SourceDriver>(std::move(options), std::move(source));
}

}  // namespace weir::connectors
