#include "taskmanager/connectors/datagen_source.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/connectors/datagen_values.h"

namespace weir::connectors {
namespace {

constexpr int64_t kSplitCount = graph::kDatagenSplitCount;

// A split's position is how many of its rows are made: its next row is position * 16 + index.
class DatagenReader final : public SplitReader {
 public:
  DatagenReader(const graph::DatagenOptions& options, types::SchemaPtr schema)
      : options_(options), schema_(std::move(schema)) {}

  absl::Status Read(size_t rows_max, std::vector<Split>* splits, ReadRows* rows) override {
    types::PodVector<int64_t>& numbers = rows->row_places;
    numbers.reserve(rows_max);
    rows->row_splits.reserve(rows_max);
    while (numbers.size() < rows_max && MakeRound(rows_max, splits, rows)) {
    }
    if (numbers.empty()) return absl::OkStatus();
    types::RecordBatch::Parts parts;
    parts.schema = schema_;
    parts.physical_rows = numbers.size();
    for (size_t i = 0; i < schema_->size(); ++i) {
      WEIR_ASSIGN_OR_RETURN(
          types::ColumnPtr column,
          GenerateColumn(options_.generators[i], schema_->field(i), i, options_.seed, numbers));
      parts.columns.push_back(std::move(column));
    }
    rows->batch = types::RecordBatch::Make(std::move(parts));
    return absl::OkStatus();
  }

  std::string Place(int64_t row_place) const override { return absl::StrCat("row ", row_place); }

 private:
  // Adds one row of each split that is furthest behind. False: all splits are finished.
  bool MakeRound(size_t rows_max, std::vector<Split>* splits, ReadRows* rows) const {
    int64_t round = INT64_MAX;
    for (const Split& split : *splits) {
      if (!split.is_finished) round = std::min(round, split.position);
    }
    if (round == INT64_MAX) return false;
    for (size_t i = 0; i < splits->size() && rows->row_places.size() < rows_max; ++i) {
      Split& split = (*splits)[i];
      if (split.is_finished || split.position != round) continue;
      const int64_t number = round * kSplitCount + split.index;
      if (options_.count && number >= *options_.count) {
        split.is_finished = true;
        continue;
      }
      rows->row_places.push_back(number);
      rows->row_splits.push_back(static_cast<uint32_t>(i));
      ++split.position;
      split.is_finished = options_.count && number + kSplitCount >= *options_.count;
    }
    return true;
  }

  const graph::DatagenOptions& options_;
  const types::SchemaPtr schema_;
};

class DatagenSource final : public SplitSource {
 public:
  DatagenSource(graph::DatagenOptions options, types::SchemaPtr schema)
      : options_(std::move(options)), schema_(std::move(schema)) {
    WEIR_CHECK(options_.generators.size() == schema_->size());
  }

  absl::StatusOr<std::vector<Split>> MakeSplits(fs::FileSystem&) const override {
    std::vector<Split> splits(static_cast<size_t>(kSplitCount));
    for (size_t i = 0; i < splits.size(); ++i) {
      splits[i].is_finished = options_.count && static_cast<int64_t>(i) >= *options_.count;
    }
    return splits;
  }

  absl::StatusOr<std::unique_ptr<SplitReader>> NewReader(fs::FileSystem&,
                                                         const std::vector<Split>&) const override {
    return std::make_unique<DatagenReader>(options_, schema_);
  }

 private:
  const graph::DatagenOptions options_;
  const types::SchemaPtr schema_;
};

}  // namespace

std::unique_ptr<SplitSource> MakeDatagenSource(graph::DatagenOptions options,
                                               types::SchemaPtr schema) {
  return std::make_unique<DatagenSource>(std::move(options), std::move(schema));
}

}  // namespace weir::connectors
