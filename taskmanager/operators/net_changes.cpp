#include "taskmanager/operators/net_changes.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/counted_emit.h"
#include "taskmanager/operators/group_place.h"

namespace weir::operators {
namespace {

using types::ChangeKind;

constexpr uint32_t kBefore = 0;
constexpr uint32_t kAfter = 1;

std::vector<ResultColumn> EmptyResults(const AccumulatorLayout& layout) {
  std::vector<ResultColumn> results;
  results.reserve(layout.size());
  for (size_t i = 0; i < layout.size(); ++i) results.emplace_back(layout.result_type(i));
  return results;
}

// Groups that were left out because a result failed, and of one of them which it was.
struct FailedGroups {
  int64_t count = 0;
  size_t aggregate = 0;
  size_t group = 0;
};

// Clears exists[i] where a result of group i failed.
FailedGroups LeaveOutFailed(const std::vector<ResultColumn>& results,
                            types::PodVector<uint8_t>* exists) {
  FailedGroups failed;
  for (size_t k = 0; k < results.size(); ++k) {
    if (!results[k].AnyFailed()) continue;
    for (size_t i = 0; i < exists->size(); ++i) {
      if (!results[k].IsFailed(i) || (*exists)[i] == 0) continue;
      (*exists)[i] = 0;
      if (failed.count++ > 0) continue;
      failed.aggregate = k;
      failed.group = i;
    }
  }
  return failed;
}

}  // namespace

NetChanges::NetChanges(const GroupPlan& plan, OperatorMetrics& metrics)
    : plan_(plan),
      metrics_(metrics),
      before_(EmptyResults(*plan.layout)),
      after_(EmptyResults(*plan.layout)),
      fixed_row_bytes_(FixedRowBytes(*plan.schema)) {
}

void NetChanges::Results(const TouchedGroups& groups, const state::StateTable& table,
                         std::vector<ResultColumn>* results) const {
  const absl::Span<const ConstAccumulator> accumulators(groups.accumulators().data(),
                                                        groups.size());
  for (size_t k = 0; k < results->size(); ++k) {
    plan_.layout->kernel(k).Results(accumulators, table, &(*results)[k]);
    (*results)[k].OwnStrings();
  }
}

void NetChanges::TakeBefore(const TouchedGroups& groups, const state::StateTable& table) {
  WEIR_CHECK(!IsActive());
  Results(groups, table, &before_);
}

absl::Status NetChanges::TakeAfter(types::BatchPtr batch, const TouchedGroups& groups,
                                   absl::Span<const uint8_t> exists,
                                   const state::StateTable& table) {
  const size_t count = groups.size();
  Results(groups, table, &after_);
  is_.assign(exists.begin(), exists.end());
  // A result out of range has no row.
  if (const FailedGroups failed = LeaveOutFailed(after_, &is_); failed.count > 0) {
    const std::string place = PlaceOfResult(plan_, failed.aggregate, *batch,
                                            batch->rows()[groups.first_row(failed.group)]);
    WEIR_RETURN_IF_ERROR(plan_.errors->Handle(failed.count, place, kResultOutOfRange, metrics_));
  }
  was_.resize(count);
  for (size_t i = 0; i < count; ++i) was_[i] = groups.is_new(i) ? 0 : 1;
  LeaveOutFailed(before_, &was_);
  differs_.assign(count, 0);
  for (size_t k = 0; k < after_.size(); ++k) after_[k].MarkDifferences(before_[k], differs_.data());
  batch_ = std::move(batch);
  ListRows(groups);
  return absl::OkStatus();
}

// Writes from_, key_rows_ and changes_.
void NetChanges::ListRows(const TouchedGroups& groups) {
  from_.resize(2 * groups.size());
  key_rows_.resize(2 * groups.size());
  changes_.resize(2 * groups.size());
  const absl::Span<const uint32_t> rows = batch_->rows();
  size_t count = 0;
  const auto add = [&](uint32_t from, uint32_t key_row, ChangeKind change) {
    from_[count] = from;
    key_rows_[count] = key_row;
    changes_[count++] = static_cast<uint8_t>(change);
  };
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const bool was = was_[i] != 0;
    const bool is = is_[i] != 0;
    if (was && is && differs_[i] == 0) continue;
    const uint32_t key_row = rows[groups.first_row(i)];
    if (was) add(2 * i + kBefore, key_row, is ? ChangeKind::kUpdateBefore : ChangeKind::kDelete);
    if (is) add(2 * i + kAfter, key_row, was ? ChangeKind::kUpdateAfter : ChangeKind::kInsert);
  }
  from_.resize(count);
  key_rows_.resize(count);
  changes_.resize(count);
  next_ = 0;
}

size_t NetChanges::BytesOf(size_t i) const {
  size_t bytes = 1;
  for (const ResultColumn& column : from_[i] % 2 == kAfter ? after_ : before_) {
    bytes += column.ByteSizeOf(from_[i] / 2);
  }
  for (size_t k = 0; k < plan_.key_count; ++k) {
    const types::Column& column = batch_->column(k);
    bytes += column.type().kind == types::TypeKind::kString ? column.String(key_rows_[i]).size()
                                                            : types::FixedWidth(column.type().kind);
  }
  return bytes;
}

// Both rows of an update go into one batch.
size_t NetChanges::EndOfBatch() const {
  const auto is_pair = [this](size_t i) {
    return static_cast<ChangeKind>(changes_[i]) == ChangeKind::kUpdateBefore;
  };
  if (fixed_row_bytes_ > 0) {
    const size_t rows_max =
        std::clamp<size_t>(types::kBatchBytesMax / fixed_row_bytes_, 2, types::kBatchRowsMax);
    const size_t end = std::min(next_ + rows_max, from_.size());
    return is_pair(end - 1) ? end - 1 : end;
  }
  size_t bytes = 0;
  size_t end = next_;
  while (end < from_.size() && bytes < types::kBatchBytesMax) {
    const size_t count = is_pair(end) ? 2 : 1;
    if (end + count - next_ > types::kBatchRowsMax) break;
    for (size_t i = 0; i < count; ++i) bytes += BytesOf(end++);
  }
  return end;
}

void NetChanges::EmitNext(BatchSink& out) {
  WEIR_CHECK(IsActive());
  const size_t end = EndOfBatch();
  const size_t count = end - next_;
  types::RecordBatch::Parts parts;
  parts.schema = plan_.schema;
  parts.physical_rows = count;
  const auto key_rows = absl::MakeConstSpan(key_rows_).subspan(next_, count);
  for (size_t k = 0; k < plan_.key_count; ++k) {
    parts.columns.push_back(types::GatherColumn(batch_->column(k), key_rows));
  }
  const auto from = absl::MakeConstSpan(from_).subspan(next_, count);
  for (size_t k = 0; k < after_.size(); ++k) {
    parts.columns.push_back(InterleaveResults(before_[k], after_[k], from));
  }
  const uint8_t* changes = changes_.data() + next_;
  parts.changes = types::Buffer::Of(types::PodVector<uint8_t>(changes, changes + count));
  next_ = end;
  if (!IsActive()) batch_.reset();
  EmitCounted(types::RecordBatch::Make(std::move(parts)), metrics_, out);
}

}  // namespace weir::operators
