// Rows for tests: batches from cells, and batches back as text.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "common/types/record_batch.h"

namespace weir::operators {

// WEIR_TEST_SEED if it is set.
inline uint64_t TestSeed(uint64_t otherwise) {
  const char* text = std::getenv("WEIR_TEST_SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Null {
  bool operator==(const Null&) const = default;
};
// Integers serve all integer, time, bool and decimal columns (unscaled).
using Cell = std::variant<Null, int64_t, double, std::string>;
using Cells = std::vector<Cell>;

types::SchemaPtr SchemaOf(std::vector<types::Field> fields);

// Gathers rows into a batch.
class RowMaker {
 public:
  explicit RowMaker(types::SchemaPtr schema) : builder_(std::move(schema)) {}

  RowMaker& Row(const Cells& cells, types::ChangeKind change = types::ChangeKind::kInsert);
  RowMaker& RowAt(EventTimeUs time, const Cells& cells);
  size_t size() const { return builder_.size(); }
  types::BatchPtr Finish() { return builder_.Finish(); }

 private:
  void Append(const Cells& cells);

  types::BatchBuilder builder_;
};

Cell CellAt(const types::Column& column, size_t row);
std::string CellText(const Cell& cell, const types::DataType& type);

// "+I 1,null,'a'" for each row, in order; kinds are +I -U +U -D.
std::vector<std::string> RowTexts(const std::vector<types::BatchPtr>& batches);
// The same, sorted.
std::vector<std::string> SortedTexts(const std::vector<types::BatchPtr>& batches);
std::string CellsText(const Cells& cells, const types::Schema& schema);

}  // namespace weir::operators
