#include "common/types/record_batch.h"

#include <array>
#include <utility>

namespace weir::types {
namespace {

std::vector<uint32_t> MakeIdentity(size_t count) {
  std::vector<uint32_t> rows(count);
  for (size_t i = 0; i < count; ++i) rows[i] = static_cast<uint32_t>(i);
  return rows;
}

}  // namespace

absl::Span<const uint32_t> IdentityRows(size_t count) {
  static const std::vector<uint32_t> rows = MakeIdentity(kBatchRowsMax);
  WEIR_CHECK(count <= kBatchRowsMax);
  return absl::MakeConstSpan(rows.data(), count);
}

BatchPtr RecordBatch::Make(Parts parts) {
  WEIR_CHECK(parts.physical_rows <= kBatchRowsMax);
  WEIR_CHECK(parts.columns.size() == parts.schema->size());
  for (const ColumnPtr& column : parts.columns) WEIR_CHECK(column->size() == parts.physical_rows);
  WEIR_CHECK(parts.changes.empty() || parts.changes.size() >= parts.physical_rows);
  WEIR_CHECK(parts.event_times.empty() ||
             parts.event_times.size() >= parts.physical_rows * sizeof(EventTimeUs));
  return std::make_shared<RecordBatch>(std::move(parts));
}

BatchPtr RecordBatch::Select(const RecordBatch& batch, PodVector<uint32_t> rows) {
  auto selected = std::make_shared<RecordBatch>(batch.parts_);
  WEIR_DCHECK(rows.empty() || rows.back() < batch.physical_rows());
  selected->selection_ = std::move(rows);
  selected->has_selection_ = true;
  return selected;
}

absl::Span<const uint32_t> RecordBatch::rows() const {
  if (has_selection_) return selection_;
  return IdentityRows(parts_.physical_rows);
}

size_t RecordBatch::ByteSize() const {
  size_t bytes = parts_.changes.size() + parts_.event_times.size();
  for (const ColumnPtr& column : parts_.columns) bytes += column->ByteSize();
  return bytes;
}

BatchBuilder::BatchBuilder(SchemaPtr schema) : schema_(std::move(schema)) {
  columns_.reserve(schema_->size());
  for (const Field& field : schema_->fields()) columns_.emplace_back(field.type);
}

size_t BatchBuilder::ByteSize() const {
  size_t bytes = event_times_.size() * sizeof(EventTimeUs);
  for (const ColumnBuilder& column : columns_) bytes += column.ByteSize();
  return bytes;
}

void BatchBuilder::AppendChange(ChangeKind change) {
  if (changes_.empty()) {
    if (change == ChangeKind::kInsert) return;
    changes_.resize(rows_);
    // Memory functions take no null, not even for no bytes.
    if (rows_ > 0) std::memset(changes_.data(), static_cast<int>(ChangeKind::kInsert), rows_);
  }
  changes_.push_back(static_cast<uint8_t>(change));
}

void BatchBuilder::Gather(const RecordBatch& batch, absl::Span<const uint32_t> rows) {
  WEIR_DCHECK(rows_ + rows.size() <= kBatchRowsMax);
  WEIR_DCHECK(batch.columns().size() == columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].Gather(batch.column(i), rows);
  if (batch.HasEventTimes()) {
    for (const uint32_t row : rows) event_times_.push_back(batch.event_times()[row]);
  }
  if (batch.HasChanges() || !changes_.empty()) {
    for (const uint32_t row : rows) {
      AppendChange(batch.change(row));
      ++rows_;
    }
  } else {
    rows_ += rows.size();
  }
}

BatchPtr BatchBuilder::Finish() {
  if (rows_ == 0) return nullptr;
  RecordBatch::Parts parts;
  parts.schema = schema_;
  parts.physical_rows = std::exchange(rows_, 0);
  for (ColumnBuilder& column : columns_) parts.columns.push_back(column.Finish());
  if (!changes_.empty()) parts.changes = Buffer::Of(std::exchange(changes_, {}));
  if (!event_times_.empty()) parts.event_times = Buffer::Of(std::exchange(event_times_, {}));
  return RecordBatch::Make(std::move(parts));
}

}  // namespace weir::types
