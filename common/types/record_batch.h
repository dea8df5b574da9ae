// RecordBatch: up to 1024 rows of typed columns, the unit in which data moves.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/types/span.h>

#include "common/base/ids.h"
#include "common/types/column.h"
#include "common/types/schema.h"

namespace weir::types {

// Most rows of one batch, and the bytes after which a producer starts a new one.
inline constexpr size_t kBatchRowsMax = 1024;
inline constexpr size_t kBatchBytesMax = 256u << 10;
// Most bytes of one row.
inline constexpr size_t kRowBytesMax = 16u << 20;

// What a row of an updating stream does. Append streams have inserts only.
// An update is its two rows, before then after, next to each other in one batch, as long as both
// have the same key on their edge; a repartitioning by another key turns them into delete + insert.
enum class ChangeKind : uint8_t { kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3 };

// True for kInsert and kUpdateAfter: the row is there afterwards.
constexpr bool IsAddition(ChangeKind kind) {
  return kind == ChangeKind::kInsert || kind == ChangeKind::kUpdateAfter;
}

class RecordBatch;
// Shared because several consumers may read one batch (broadcast, several outputs).
using BatchPtr = std::shared_ptr<const RecordBatch>;

// Immutable. Columns, change kinds and event times are indexed by physical row; the selection,
// where there is one, lists the physical rows that are in the batch, ascending.
class RecordBatch {
 public:
  struct Parts {
    SchemaPtr schema;
    std::vector<ColumnPtr> columns;  // as many as the schema has fields
    size_t physical_rows = 0;
    Buffer changes;      // uint8_t ChangeKind a row; empty = all inserts
    Buffer event_times;  // int64_t a row; empty = the stream has no event time
  };
  // REQUIRES: every column has physical_rows rows.
  static BatchPtr Make(Parts parts);
  // The same data, with fewer rows. `rows` are physical, ascending.
  static BatchPtr Select(const RecordBatch& batch, PodVector<uint32_t> rows);

  const Schema& schema() const { return *parts_.schema; }
  const SchemaPtr& schema_ptr() const { return parts_.schema; }
  const Column& column(size_t index) const { return *parts_.columns[index]; }
  const ColumnPtr& column_ptr(size_t index) const { return parts_.columns[index]; }
  const std::vector<ColumnPtr>& columns() const { return parts_.columns; }

  // Rows in the batch.
  size_t size() const { return has_selection_ ? selection_.size() : parts_.physical_rows; }
  size_t physical_rows() const { return parts_.physical_rows; }
  bool HasSelection() const { return has_selection_; }
  // The physical rows that are in the batch: the selection, or 0..size()-1.
  absl::Span<const uint32_t> rows() const;

  bool HasChanges() const { return !parts_.changes.empty(); }
  ChangeKind change(size_t physical_row) const {
    return HasChanges() ? static_cast<ChangeKind>(parts_.changes.As<uint8_t>()[physical_row])
                        : ChangeKind::kInsert;
  }
  const Buffer& changes() const { return parts_.changes; }
  bool HasEventTimes() const { return !parts_.event_times.empty(); }
  // Null if HasEventTimes() is false.
  const EventTimeUs* event_times() const { return parts_.event_times.As<EventTimeUs>(); }
  const Buffer& event_times_buffer() const { return parts_.event_times; }

  size_t ByteSize() const;

  // Use Make().
  explicit RecordBatch(Parts parts) : parts_(std::move(parts)) {}

 private:
  Parts parts_;
  PodVector<uint32_t> selection_;
  bool has_selection_ = false;
};

// The rows 0..kBatchRowsMax-1.
absl::Span<const uint32_t> IdentityRows(size_t count);

// Gathers rows of several batches of one schema into one dense batch.
// Thread: confined to one thread.
class BatchBuilder {
 public:
  explicit BatchBuilder(SchemaPtr schema);

  const SchemaPtr& schema() const { return schema_; }
  size_t size() const { return rows_; }
  // Bytes gathered so far, roughly.
  size_t ByteSize() const;
  bool IsFull() const { return rows_ >= kBatchRowsMax || ByteSize() >= kBatchBytesMax; }

  // Appends physical rows of `batch` with their change kinds and event times.
  // REQUIRES: the same columns' types; size() + rows.size() <= kBatchRowsMax.
  void Gather(const RecordBatch& batch, absl::Span<const uint32_t> rows);

  // For producers that write values themselves: append to every column(), then EndRow().
  ColumnBuilder& column(size_t index) { return columns_[index]; }
  void EndRow(ChangeKind change = ChangeKind::kInsert) {
    if (change != ChangeKind::kInsert || !changes_.empty()) AppendChange(change);
    ++rows_;
  }
  void EndRow(ChangeKind change, EventTimeUs event_time) {
    event_times_.push_back(event_time);
    EndRow(change);
  }

  // The batch so far (null if size() is 0); the builder starts anew.
  BatchPtr Finish();

 private:
  void AppendChange(ChangeKind change);

  const SchemaPtr schema_;
  std::vector<ColumnBuilder> columns_;
  size_t rows_ = 0;
  PodVector<uint8_t> changes_;          // empty while all rows are inserts
  PodVector<EventTimeUs> event_times_;  // empty if rows have none
};

}  // namespace weir::types
