// ChangelogTable: what a reader of a keyed changelog sees: its rows by key, while it checks that
// every change fits what is there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {

// Fails the running test where a change does not fit.
class ChangelogTable {
 public:
  // The first columns are the key.
  explicit ChangelogTable(size_t key_count) : key_count_(key_count) {}

  void Apply(const std::vector<types::BatchPtr>& batches) {
    for (const types::BatchPtr& batch : batches) {
      for (const uint32_t row : batch->rows()) ApplyRow(*batch, row);
    }
  }

  // Key text to the text of the other columns.
  const std::map<std::string, std::string>& rows() const { return rows_; }

 private:
  void ApplyRow(const types::RecordBatch& batch, uint32_t row) {
    std::string key;
    std::string value;
    for (size_t i = 0; i < batch.columns().size(); ++i) {
      std::string* text = i < key_count_ ? &key : &value;
      if (!text->empty()) *text += ",";
      *text += CellText(CellAt(batch.column(i), row), batch.column(i).type());
    }
    CAPTURE(key, value, static_cast<int>(batch.change(row)));
    const auto found = rows_.find(key);
    switch (batch.change(row)) {
      case types::ChangeKind::kInsert:
        REQUIRE(found == rows_.end());
        rows_[key] = value;
        break;
      case types::ChangeKind::kUpdateBefore:
        REQUIRE(found != rows_.end());
        REQUIRE(found->second == value);
        before_ = key;
        break;
      case types::ChangeKind::kUpdateAfter:
        REQUIRE(before_ == key);
        REQUIRE(found->second != value);
        found->second = value;
        break;
      case types::ChangeKind::kDelete:
        REQUIRE(found != rows_.end());
        REQUIRE(found->second == value);
        rows_.erase(found);
        break;
    }
  }

  const size_t key_count_;
  std::map<std::string, std::string> rows_;
  std::string before_;  // key of the update_before just seen
};

}  // namespace weir::operators
