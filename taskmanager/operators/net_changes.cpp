#include "taskmanager/operators/net_changes.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/counted_emit.h"

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

bool IsAnyFailed(const std::vector<ResultColumn>& results, size_t i) {
  for (const ResultColumn& column : results) {
    if (column.IsFailed(i)) return true;
  }
  return false;
}

}  // namespace

NetChanges::NetChanges(const GroupPlan& plan, OperatorMetrics& metrics)
    : plan_(plan),
      metrics_(metrics),
      before_(EmptyResults(*plan.layout)),
      after_(EmptyResults(*plan.layout)) {
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

void NetChanges::AddRow(uint32_t source, uint32_t group, ChangeKind change) {
  from_.push_back(2 * group + source);
  changes_.push_back(static_cast<uint8_t>(change));
}

absl::Status NetChanges::CheckRange(size_t groups) {
  int64_t failed = 0;
  for (size_t i = 0; i < groups; ++i) failed += IsAnyFailed(after_, i) ? 1 : 0;
  if (failed == 0) return absl::OkStatus();
  return plan_.errors->Handle(failed, "", "an aggregate's result is out of range", metrics_);
}

absl::Status NetChanges::TakeAfter(types::BatchPtr batch, const TouchedGroups& groups,
                                   absl::Span<const uint8_t> exists,
                                   const state::StateTable& table) {
  Results(groups, table, &after_);
  WEIR_RETURN_IF_ERROR(CheckRange(groups.size()));
  types::PodVector<uint8_t> differs(groups.size(), 0);
  for (size_t k = 0; k < after_.size(); ++k) after_[k].MarkDifferences(before_[k], differs.data());
  from_.clear();
  changes_.clear();
  key_rows_.clear();
  next_ = 0;
  batch_ = std::move(batch);
  for (uint32_t i = 0; i < groups.size(); ++i) {
    // A result out of range has no row.
    const bool was = !groups.is_new(i) && !IsAnyFailed(before_, i);
    const bool is = exists[i] != 0 && !IsAnyFailed(after_, i);
    if (was && is && differs[i] != 0) {
      AddRow(kBefore, i, ChangeKind::kUpdateBefore);
      AddRow(kAfter, i, ChangeKind::kUpdateAfter);
    } else if (was && !is) {
      AddRow(kBefore, i, ChangeKind::kDelete);
    } else if (is && !was) {
      AddRow(kAfter, i, ChangeKind::kInsert);
    }
    key_rows_.resize(from_.size(), batch_->rows()[groups.first_row(i)]);
  }
  return absl::OkStatus();
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
  size_t bytes = 0;
  size_t end = next_;
  while (end < from_.size() && bytes < types::kBatchBytesMax) {
    const bool is_pair = static_cast<ChangeKind>(changes_[end]) == ChangeKind::kUpdateBefore;
    const size_t count = is_pair ? 2 : 1;
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
