// What must hold: gathering keeps values, nulls, change kinds and event times, whatever the types
// and selections, and builders begin anew after Finish().
#include "common/types/record_batch.h"

#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/base/random.h"

namespace weir::types {
namespace {

struct Row {
  std::optional<int64_t> number;
  std::optional<std::string> text;
  Int128 amount;
  ChangeKind change;
  EventTimeUs time;
  bool operator==(const Row&) const = default;
};

SchemaPtr RowSchema() {
  static const SchemaPtr schema = std::make_shared<const Schema>(std::vector<Field>{
      {"number", kInt64Type}, {"text", kStringType}, {"amount", DecimalType(30, 2), false}});
  return schema;
}

std::vector<Row> RandomRows(base::Random& random, size_t count) {
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    if (!random.OneIn(4)) row.number = random.Between(INT64_MIN, INT64_MAX);
    if (!random.OneIn(4))
      row.text = std::string(random.Below(20), static_cast<char>('a' + random.Below(26)));
    row.amount = Int128{random.Between(-1000, 1000)} * 1000000007;
    row.change = static_cast<ChangeKind>(random.Below(4));
    row.time = random.Between(-5, 5);
  }
  return rows;
}

BatchPtr Build(const std::vector<Row>& rows) {
  BatchBuilder builder(RowSchema());
  for (const Row& row : rows) {
    row.number ? builder.column(0).Append(*row.number) : builder.column(0).AppendNull();
    row.text ? builder.column(1).AppendString(*row.text) : builder.column(1).AppendNull();
    builder.column(2).Append(row.amount);
    builder.EndRow(row.change, row.time);
  }
  return builder.Finish();
}

std::vector<Row> RowsOf(const RecordBatch& batch) {
  std::vector<Row> rows;
  for (const uint32_t i : batch.rows()) {
    Row row;
    if (!batch.column(0).IsNull(i)) row.number = batch.column(0).Values<int64_t>()[i];
    if (!batch.column(1).IsNull(i)) row.text = std::string(batch.column(1).String(i));
    row.amount = batch.column(2).Values<Int128>()[i];
    row.change = batch.change(i);
    row.time = batch.event_times()[i];
    rows.push_back(row);
  }
  return rows;
}

TEST_CASE("Built rows are read back", "[types][unit]") {
  base::Random random(5);
  for (const size_t count : {size_t{1}, size_t{7}, kBatchRowsMax}) {
    const std::vector<Row> rows = RandomRows(random, count);
    CHECK(RowsOf(*Build(rows)) == rows);
  }
}

TEST_CASE("Gathering selected rows of several batches keeps each row whole", "[types][unit]") {
  base::Random random(6);
  for (int round = 0; round < 50; ++round) {
    BatchBuilder gathered(RowSchema());
    std::vector<Row> expected;
    for (int i = 0; i < 3; ++i) {
      const std::vector<Row> rows = RandomRows(random, 1 + random.Below(200));
      const BatchPtr batch = Build(rows);
      PodVector<uint32_t> chosen;
      for (uint32_t row = 0; row < rows.size(); ++row) {
        if (random.OneIn(2)) chosen.push_back(row);
      }
      for (const uint32_t row : chosen) expected.push_back(rows[row]);
      const BatchPtr selected = RecordBatch::Select(*batch, chosen);
      CHECK(selected->size() == chosen.size());
      gathered.Gather(*selected, selected->rows());
    }
    const BatchPtr result = gathered.Finish();
    if (expected.empty()) {
      CHECK(result == nullptr);
    } else {
      CHECK(RowsOf(*result) == expected);
    }
    CHECK(gathered.size() == 0);
    CHECK(gathered.Finish() == nullptr);
  }
}

TEST_CASE("A batch of inserts carries no change kinds", "[types][unit]") {
  BatchBuilder builder(RowSchema());
  builder.column(0).AppendNull();
  builder.column(1).AppendNull();
  builder.column(2).Append(Int128{1});
  builder.EndRow();
  const BatchPtr batch = builder.Finish();
  CHECK_FALSE(batch->HasChanges());
  CHECK_FALSE(batch->HasEventTimes());
  CHECK(batch->change(0) == ChangeKind::kInsert);
}

TEST_CASE("Arrays gather with their elements", "[types][unit]") {
  ColumnBuilder builder(ArrayType(kStringType));
  builder.child().AppendString("a");
  builder.child().AppendString("b");
  builder.AppendArray();
  builder.AppendNull();
  builder.AppendArray();  // empty
  builder.child().AppendString("c");
  builder.AppendArray();
  const ColumnPtr column = builder.Finish();
  const uint32_t chosen[] = {3, 1, 0};
  const ColumnPtr gathered = GatherColumn(*column, chosen);
  REQUIRE(gathered->size() == 3);
  CHECK(gathered->IsNull(1));
  CHECK(gathered->offsets()[1] == 1);
  CHECK(gathered->child().String(0) == "c");
  CHECK(gathered->child().String(1) == "a");
  CHECK(gathered->child().String(2) == "b");
}

}  // namespace
}  // namespace weir::types
