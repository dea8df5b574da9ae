#include "taskmanager/operators/unnest_operator.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/changes.h"
#include "taskmanager/operators/counted_emit.h"

namespace weir::operators {
namespace {

// Stands for the element of a row that has none.
constexpr uint32_t kNoElement = UINT32_MAX;

// Bytes of the strings of a row.
size_t StringBytes(const types::RecordBatch& batch, size_t row) {
  size_t bytes = 0;
  for (const types::ColumnPtr& column : batch.columns()) {
    if (column->type().kind == types::TypeKind::kString) bytes += column->String(row).size();
  }
  return bytes;
}

size_t FixedBytes(const types::Schema& schema) {
  size_t bytes = 0;
  for (const types::Field& field : schema.fields()) bytes += types::FixedWidth(field.type.kind);
  return bytes;
}

}  // namespace

// Where the unnesting of a batch stands. `batch` is null when there is nothing left to emit.
struct UnnestOperator::State final : OperatorState {
  explicit State(SubtaskContext& subtask) : context(subtask) {}

  bool IsAtEnd() const { return next_row == rows.size(); }

  SubtaskContext& context;
  expr::EvalErrors errors;
  types::BatchPtr batch;
  types::PodVector<uint32_t> rows;       // physical; those with an array
  types::PodVector<uint32_t> positions;  // of their arrays in `arrays`
  types::ColumnPtr arrays;
  size_t next_row = 0;
  uint32_t next_element = 0;  // within the array of next_row

  // Of the batch being made: input row, element in the child column, number.
  types::PodVector<uint32_t> from_rows;
  types::PodVector<uint32_t> from_elements;
  types::PodVector<int64_t> numbers;
};

namespace {

// Elements of an array; a NULL array has none.
struct Elements {
  uint32_t begin = 0;
  uint32_t count = 0;
};

Elements ElementsOf(const types::Column& arrays, size_t position) {
  if (arrays.IsNull(position)) return {};
  const uint32_t* offsets = arrays.offsets() + position;
  return {offsets[0], offsets[1] - offsets[0]};
}

types::ColumnPtr ElementColumn(const types::Column& child, absl::Span<const uint32_t> elements) {
  types::ColumnBuilder builder(child.type());
  builder.Reserve(elements.size());
  size_t begin = 0;
  for (size_t i = 0; i <= elements.size(); ++i) {
    if (i < elements.size() && elements[i] != kNoElement) continue;
    builder.Gather(child, elements.subspan(begin, i - begin));
    if (i < elements.size()) builder.AppendNull();
    begin = i + 1;
  }
  return builder.Finish();
}

types::ColumnPtr NumberColumn(const types::DataType& type, absl::Span<const int64_t> numbers) {
  types::ColumnBuilder builder(type);
  builder.Reserve(numbers.size());
  for (const int64_t number : numbers) {
    number == 0 ? builder.AppendNull() : builder.Append(number);
  }
  return builder.Finish();
}

types::Buffer Unpair(const types::Buffer& changes) {
  if (changes.empty()) return changes;
  types::PodVector<uint8_t> kinds(changes.size());
  const uint8_t* old_kinds = changes.As<uint8_t>();
  for (size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] = static_cast<uint8_t>(Unpaired(static_cast<types::ChangeKind>(old_kinds[i])));
  }
  return types::Buffer::Of(std::move(kinds));
}

}  // namespace

absl::StatusOr<std::unique_ptr<OperatorState>> UnnestOperator::NewState(
    SubtaskContext& context) const {
  WEIR_CHECK(schema_->size() >= (spec_.has_ordinality ? 2u : 1u));
  return std::make_unique<State>(context);
}

// Gathers elements until the batch is full or the input at its end, and makes the batch; null if
// there are no more.
types::BatchPtr UnnestOperator::MakeBatch(State& state) const {
  state.from_rows.clear();
  state.from_elements.clear();
  state.numbers.clear();
  const size_t fixed_bytes = FixedBytes(*schema_);
  const types::Column& child = state.arrays->child();
  const bool is_string = child.type().kind == types::TypeKind::kString;
  size_t bytes = 0;
  const auto is_full = [&] {
    return state.from_rows.size() == types::kBatchRowsMax || bytes >= types::kBatchBytesMax;
  };
  for (; !state.IsAtEnd() && !is_full(); ++state.next_row, state.next_element = 0) {
    const uint32_t row = state.rows[state.next_row];
    const Elements elements = ElementsOf(*state.arrays, state.positions[state.next_row]);
    const size_t row_bytes = fixed_bytes + StringBytes(*state.batch, row);
    if (elements.count == 0 && spec_.outer) {
      state.from_rows.push_back(row);
      state.from_elements.push_back(kNoElement);
      state.numbers.push_back(0);
      bytes += row_bytes;
    }
    for (; state.next_element < elements.count && !is_full(); ++state.next_element) {
      const uint32_t element = elements.begin + state.next_element;
      state.from_rows.push_back(row);
      state.from_elements.push_back(element);
      state.numbers.push_back(int64_t{state.next_element} + 1);
      bytes += row_bytes + (is_string ? child.String(element).size() : 0);
    }
    if (state.next_element < elements.count) break;
  }
  if (state.from_rows.empty()) return nullptr;
  types::RecordBatch::Parts parts;
  parts.schema = schema_;
  parts.physical_rows = state.from_rows.size();
  for (const types::ColumnPtr& column : state.batch->columns()) {
    parts.columns.push_back(types::GatherColumn(*column, state.from_rows));
  }
  parts.columns.push_back(ElementColumn(child, state.from_elements));
  if (spec_.has_ordinality) {
    const types::DataType& type = schema_->field(schema_->size() - 1).type;
    parts.columns.push_back(NumberColumn(type, state.numbers));
  }
  parts.changes = Unpair(GatherChanges(state.batch->changes(), state.from_rows));
  parts.event_times = GatherEventTimes(state.batch->event_times_buffer(), state.from_rows);
  return types::RecordBatch::Make(std::move(parts));
}

absl::StatusOr<Verdict> UnnestOperator::OnBatch(const types::BatchPtr& batch,
                                                OperatorState& operator_state,
                                                BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  CountIn(*batch, state.context.metrics);
  if (batch->size() == 0) return Verdict::kDone;
  state.errors.Reset();
  WEIR_ASSIGN_OR_RETURN(state.arrays,
                        expr::Evaluate(*spec_.expr, *batch, batch->rows(), &state.errors));
  WEIR_RETURN_IF_ERROR(errors_.Handle(state.errors, "", state.context.metrics));
  state.batch = batch;
  state.rows.clear();
  state.positions.clear();
  for (size_t i = 0; i < batch->size(); ++i) {
    const uint32_t row = batch->rows()[i];
    if (state.errors.Failed(row)) continue;
    state.rows.push_back(row);
    state.positions.push_back(static_cast<uint32_t>(i));
  }
  state.next_row = 0;
  state.next_element = 0;
  return Resume(state, out);
}

absl::StatusOr<Verdict> UnnestOperator::Resume(OperatorState& operator_state,
                                               BatchSink& out) const {
  State& state = static_cast<State&>(operator_state);
  for (int i = 0; i < kEmitBatchesMax && !state.IsAtEnd(); ++i) {
    types::BatchPtr batch = MakeBatch(state);
    if (batch != nullptr) EmitCounted(std::move(batch), state.context.metrics, out);
  }
  if (!state.IsAtEnd()) return Verdict::kBlocked;
  state.batch.reset();
  state.arrays.reset();
  return Verdict::kDone;
}

}  // namespace weir::operators
