#include "taskmanager/operators/group_emitter.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/counted_emit.h"
#include "taskmanager/operators/group_place.h"

namespace weir::operators {
namespace {

template <class T>
types::ColumnPtr FixedKeyColumn(const types::DataType& type, absl::Span<const int64_t> keys) {
  types::PodVector<T> values(keys.size());
  std::transform(keys.begin(), keys.end(), values.begin(),
                 [](int64_t key) { return static_cast<T>(key); });
  return types::Column::Fixed(type, keys.size(), types::Buffer::Of(std::move(values)),
                              types::Buffer());
}

types::Buffer Repeated(int64_t value, size_t count) {
  types::PodVector<int64_t> values(count);
  std::fill(values.begin(), values.end(), value);
  return types::Buffer::Of(std::move(values));
}

}  // namespace

GroupEmitter::GroupEmitter(const GroupPlan& plan, OperatorMetrics& metrics)
    : plan_(plan), metrics_(metrics), fixed_row_bytes_(FixedRowBytes(*plan.schema)) {
  results_.reserve(plan.layout->size());
  for (size_t i = 0; i < plan.layout->size(); ++i) {
    results_.emplace_back(plan.layout->result_type(i));
  }
}

void GroupEmitter::Start(const state::StateTable& table, absl::optional<WindowBounds> window) {
  Begin(table, window);
  table_ = &table;
  position_ = table.Read();
}

void GroupEmitter::Start(const MergedGroups& groups, const state::StateTable& strings,
                         WindowBounds window) {
  Begin(strings, window);
  table_ = nullptr;
  merged_ = &groups;
  next_number_ = 0;
}

void GroupEmitter::Begin(const state::StateTable& strings, absl::optional<WindowBounds> window) {
  WEIR_CHECK(!IsActive());
  strings_ = &strings;
  window_ = window;
  window_columns_ = WindowColumns();
  rows_.Clear();
  next_ = 0;
  is_at_end_ = false;
}

absl::StatusOr<size_t> GroupEmitter::ReadRows() {
  if (table_ != nullptr) return table_->AppendRows(&*position_, types::kBatchRowsMax, &rows_);
  return merged_->Append(types::kBatchRowsMax, &next_number_, &rows_);
}

absl::Status GroupEmitter::ReadMore() {
  rows_.Clear();
  next_ = 0;
  WEIR_ASSIGN_OR_RETURN(const size_t count, ReadRows());
  is_at_end_ = count < types::kBatchRowsMax;
  return ComputeResults(rows_.values, *strings_);
}

absl::Status GroupEmitter::ComputeResults(absl::Span<const ConstAccumulator> accumulators,
                                          const state::StateTable& strings) {
  const size_t count = accumulators.size();
  types::PodVector<uint8_t> failed(count, 0);
  bool any_failed = false;
  for (size_t k = 0; k < results_.size(); ++k) {
    plan_.layout->kernel(k).Results(accumulators, strings, &results_[k]);
    if (!results_[k].AnyFailed()) continue;
    any_failed = true;
    for (size_t i = 0; i < count; ++i) {
      if (results_[k].IsFailed(i)) failed[i] = 1;
    }
  }
  good_.clear();
  if (!any_failed) return absl::OkStatus();
  for (size_t i = 0; i < count; ++i) {
    if (failed[i] == 0) good_.push_back(static_cast<uint32_t>(i));
  }
  WEIR_ASSIGN_OR_RETURN(const std::string place, PlaceOfFirstFailed());
  return plan_.errors->Handle(static_cast<int64_t>(count - good_.size()), place, kResultOutOfRange,
                              metrics_);
}

absl::StatusOr<std::string> GroupEmitter::PlaceOfFirstFailed() {
  const auto has_failed =
      std::find_if(results_.begin(), results_.end(),
                   [](const ResultColumn& results) { return results.AnyFailed(); });
  size_t row = 0;
  while (!has_failed->IsFailed(row)) ++row;
  std::vector<types::ColumnPtr> keys;
  WEIR_RETURN_IF_ERROR(AppendKeys(row, 1, &keys));
  return PlaceOfResult(plan_, static_cast<size_t>(has_failed - results_.begin()), keys, 0);
}

size_t GroupEmitter::BytesOf(size_t i) const {
  size_t bytes =
      plan_.keys->is_fixed() || rows_.keys.empty() ? sizeof(int64_t) : rows_.keys[i].size();
  for (const ResultColumn& results : results_) bytes += results.ByteSizeOf(i);
  return bytes + (window_.has_value() ? 3 * sizeof(int64_t) : 0);
}

size_t GroupEmitter::CountFitting() const {
  if (fixed_row_bytes_ > 0) {
    const size_t rows_max = std::max<size_t>(types::kBatchBytesMax / fixed_row_bytes_, 1);
    return std::min(rows_max, rows_.size() - next_);
  }
  size_t bytes = 0;
  size_t end = next_;
  while (end < rows_.size() && bytes < types::kBatchBytesMax) bytes += BytesOf(end++);
  return end - next_;
}

absl::Status GroupEmitter::AppendKeys(size_t begin, size_t count,
                                      std::vector<types::ColumnPtr>* columns) {
  if (plan_.key_count == 0) return absl::OkStatus();
  if (plan_.keys->is_fixed()) {
    const types::DataType& type = plan_.schema->field(0).type;
    const auto keys = absl::MakeConstSpan(rows_.fixed).subspan(begin, count);
    columns->push_back(types::FixedWidth(type.kind) == sizeof(int32_t)
                           ? FixedKeyColumn<int32_t>(type, keys)
                           : FixedKeyColumn<int64_t>(type, keys));
    return absl::OkStatus();
  }
  std::vector<types::ColumnBuilder> builders;
  builders.reserve(plan_.key_count);
  for (size_t k = 0; k < plan_.key_count; ++k) builders.emplace_back(plan_.schema->field(k).type);
  for (size_t i = begin; i < begin + count; ++i) {
    WEIR_RETURN_IF_ERROR(plan_.keys->Decode(rows_.keys[i], &builders));
  }
  for (types::ColumnBuilder& builder : builders) columns->push_back(builder.Finish());
  return absl::OkStatus();
}

void GroupEmitter::MakeWindowColumns(size_t count) {
  if (window_columns_.rows == count) return;
  const auto column = [count](EventTimeUs time) {
    return types::Column::Fixed(types::kTimestampType, count, Repeated(time, count),
                                types::Buffer());
  };
  window_columns_ = {count, column(window_->start), column(window_->end),
                     Repeated(window_->end - 1, count)};
}

absl::Status GroupEmitter::EmitRows(size_t begin, size_t count, BatchSink& out) {
  types::RecordBatch::Parts parts;
  parts.schema = plan_.schema;
  parts.physical_rows = count;
  WEIR_RETURN_IF_ERROR(AppendKeys(begin, count, &parts.columns));
  if (window_.has_value()) {
    MakeWindowColumns(count);
    parts.columns.push_back(window_columns_.start);
    parts.columns.push_back(window_columns_.end);
    parts.event_times = window_columns_.event_times;
  }
  for (const ResultColumn& results : results_) {
    parts.columns.push_back(results.ToColumn(begin, count));
  }
  types::BatchPtr batch = types::RecordBatch::Make(std::move(parts));
  if (std::any_of(results_.begin(), results_.end(),
                  [](const ResultColumn& results) { return results.AnyFailed(); })) {
    const auto first = std::lower_bound(good_.begin(), good_.end(), begin);
    const auto last = std::lower_bound(first, good_.end(), begin + count);
    if (first == last) return absl::OkStatus();
    types::PodVector<uint32_t> kept(first, last);
    for (uint32_t& row : kept) row -= static_cast<uint32_t>(begin);
    batch = types::RecordBatch::Select(*batch, std::move(kept));
  }
  EmitCounted(std::move(batch), metrics_, out);
  return absl::OkStatus();
}

absl::Status GroupEmitter::EmitNext(BatchSink& out) {
  WEIR_CHECK(IsActive());
  if (next_ == rows_.size() && !is_at_end_) WEIR_RETURN_IF_ERROR(ReadMore());
  const size_t count = CountFitting();
  if (count > 0) WEIR_RETURN_IF_ERROR(EmitRows(next_, count, out));
  next_ += count;
  if (next_ == rows_.size() && is_at_end_) strings_ = nullptr;
  return absl::OkStatus();
}

absl::Status GroupEmitter::EmitEmpty(const state::StateTable& table, BatchSink& out) {
  WEIR_CHECK(plan_.key_count == 0);
  const types::PodVector<std::byte> nothing(std::max<size_t>(plan_.layout->value().bytes, 8),
                                            std::byte{0});
  const ConstAccumulator accumulator = nothing.data();
  rows_.Clear();
  window_.reset();
  WEIR_RETURN_IF_ERROR(ComputeResults(absl::MakeConstSpan(&accumulator, 1), table));
  return EmitRows(0, 1, out);
}

}  // namespace weir::operators
