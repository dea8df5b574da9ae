// SplitSource and SplitReader: what a connector that reads has to bring; SourceDriver does the rest
// (state, watermarks, rate, errors).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/fs/file_system.h"
#include "common/types/record_batch.h"
#include "taskmanager/connectors/split.h"

namespace weir::connectors {

// What one SplitReader::Read() gave.
struct ReadRows {
  types::BatchPtr batch;  // null: no row; without a selection
  // Per physical row, the position of its split in the list given to Read(); empty: all are of
  // `split`.
  types::PodVector<uint32_t> row_splits;
  size_t split = 0;
  // Per physical row, where it comes from; SplitReader::Place() makes text of it.
  types::PodVector<int64_t> row_places;
  // Rows that could not be decoded, and of the first one where it is and why.
  int64_t bad_rows = 0;
  std::string bad_place;
  std::string bad_cause;
};

// Life: made for one attempt of a subtask. Thread: confined to the task.
class SplitReader {
 public:
  virtual ~SplitReader() = default;
  // Reads at most `rows_max` rows of unfinished splits, moves their positions on and marks those
  // that are at their end. Some call must give rows or finish a split, but not each one.
  // REQUIRES: 0 < rows_max <= kBatchRowsMax; some split is unfinished; always the same list.
  virtual absl::Status Read(size_t rows_max, std::vector<Split>* splits, ReadRows* rows) = 0;
  // A row's place for messages: "flights.ndjson: byte 1200".
  virtual std::string Place(int64_t row_place) const = 0;
};

// Immutable; shared by subtasks.
class SplitSource {
 public:
  virtual ~SplitSource() = default;
  // All splits, in order; the same for every subtask. May be none.
  virtual absl::StatusOr<std::vector<Split>> MakeSplits(fs::FileSystem& files) const = 0;
  // Checks that what `splits` were made of is still there.
  virtual absl::StatusOr<std::unique_ptr<SplitReader>> NewReader(
      fs::FileSystem& files, const std::vector<Split>& splits) const = 0;
};

}  // namespace weir::connectors
