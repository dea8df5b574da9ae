#include "taskmanager/connectors/datagen_source.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/datagen_values.h"
#include "taskmanager/connectors/source_driver.h"
#include "tests/unit/taskmanager/connectors/connector_harness.h"

namespace weir::connectors {
namespace {

using graph::GeneratorKind;
using graph::GeneratorSpec;
using Rows = std::vector<std::string>;

graph::DatagenOptions Sequence(absl::optional<int64_t> count) {
  graph::DatagenOptions options;
  options.count = count;
  options.generators = {{.kind = GeneratorKind::kSequence}};
  return options;
}

types::SchemaPtr NumberSchema() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{.name = "n", .type = types::kInt64Type, .nullable = false}});
}

std::unique_ptr<operators::SourceOperator> Source(graph::DatagenOptions options) {
  SourceDriverOptions driver;
  driver.step_id = "gen";
  driver.rows_per_second = options.rate;
  return MakeSourceDriver(std::move(driver), MakeDatagenSource(std::move(options), NumberSchema()));
}

Rows Numbers(int64_t begin, int64_t end) {
  Rows rows;
  for (int64_t n = begin; n < end; ++n) rows.push_back(absl::StrCat("{\"n\":", n, "}"));
  return rows;
}

types::ColumnPtr Generate(const GeneratorSpec& generator, const types::DataType& type,
                          const std::vector<int64_t>& rows, int64_t seed = 1) {
  const types::Field field{"c", type};
  auto column = GenerateColumn(generator, field, 0, seed, rows);
  INFO(column.status().ToString());
  REQUIRE(column.ok());
  return *column;
}

std::vector<int64_t> RowNumbers(int64_t count) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < count; ++i) rows.push_back(i);
  return rows;
}

}  // namespace

TEST_CASE("Datagen makes its rows in order at parallelism 1", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  for (const int64_t count : {0, 1, 15, 16, 17, 1000, 2500}) {
    const auto source = Source(Sequence(count));
    SourceRun run(*source, {}, clock, files);
    REQUIRE(run.PollToEnd().ok());
    CHECK((run.out().rows == Numbers(0, count)));
  }
}

TEST_CASE("Datagen makes each row once, also after restores", "[connectors][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  constexpr int64_t kCount = 20'011;
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto source = Source(Sequence(kCount));
  Rows rows;
  std::vector<Lists> lists(1);
  for (int round = 0; round < 1000; ++round) {
    const uint32_t parallelism = static_cast<uint32_t>(1 + random.Below(20));
    lists = DealLists(lists, parallelism);
    std::vector<Lists> next;
    bool all_finished = true;
    for (uint32_t i = 0; i < parallelism; ++i) {
      SourceRun run(*source,
                    {.subtask = i, .parallelism = parallelism, .restored = CheckpointId{round}},
                    clock, files, lists[i]);
      REQUIRE(run.opened().ok());
      for (uint64_t polls = random.Below(3); polls > 0; --polls) REQUIRE(run.Poll().ok());
      next.push_back(run.Snapshot());
      rows.insert(rows.end(), run.out().rows.begin(), run.out().rows.end());
      all_finished = all_finished && AllFinished(next.back());
    }
    lists = next;
    if (all_finished) break;
  }
  Rows expected = Numbers(0, kCount);
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  CHECK((rows == expected));
}

TEST_CASE("Datagen without a count never ends", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  const auto source = Source(Sequence({}));
  SourceRun run(*source, {}, clock, files);
  for (int i = 0; i < 5; ++i) {
    CHECK(run.Poll()->verdict == operators::PollVerdict::kMore);
  }
  CHECK((run.out().rows == Numbers(0, 5 * 1024)));
}

TEST_CASE("Datagen's values are for ever", "[connectors][unit]") {
  const std::vector<int64_t> rows = {0, 1, 1'000'000'007};
  const auto column = Generate({.min = 0, .max = 999}, types::kInt64Type, rows, 42);
  CHECK(column->Values<int64_t>()[0] == 908);
  CHECK(column->Values<int64_t>()[1] == 514);
  CHECK(column->Values<int64_t>()[2] == 158);
  const auto text = Generate({.length = 6}, types::kStringType, rows, 42);
  CHECK(text->String(0) == "gbvmlt");
  CHECK(text->String(2) == "nqdmjd");
}

TEST_CASE("Datagen's random values lie in their bounds and reach them", "[connectors][unit]") {
  const std::vector<int64_t> rows = RowNumbers(10'000);
  const auto column = Generate({.min = -3, .max = 3}, types::kInt32Type, rows);
  const int32_t* values = column->Values<int32_t>();
  CHECK(*std::min_element(values, values + rows.size()) == -3);
  CHECK(*std::max_element(values, values + rows.size()) == 3);
  for (int32_t value = -3; value <= 3; ++value) {
    const auto count = std::count(values, values + rows.size(), value);
    CHECK(count > 1200);
    CHECK(count < 1700);
  }
  const auto wide = Generate({.min = INT64_MIN, .max = INT64_MAX}, types::kInt64Type, rows);
  CHECK(wide->Values<int64_t>()[0] != wide->Values<int64_t>()[1]);
  const auto real = Generate({.min_double = 5, .max_double = 6}, types::kDoubleType, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(real->Values<double>()[i] >= 5);
    REQUIRE(real->Values<double>()[i] < 6);
  }
  const auto money = Generate({.min_double = 0, .max_double = 10}, types::DecimalType(4, 2), rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(money->Values<types::Int128>()[i] >= 0);
    REQUIRE(money->Values<types::Int128>()[i] <= 1000);
  }
  const auto keys = Generate({.distinct = 3}, types::kStringType, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const StringView key = keys->String(i);
    REQUIRE((key == "k0" || key == "k1" || key == "k2"));
  }
}

TEST_CASE("Datagen's columns do not repeat each other", "[connectors][unit]") {
  const types::Field field{"c", types::kInt64Type};
  const GeneratorSpec generator{.min = 0, .max = 1'000'000'000};
  const std::vector<int64_t> rows = RowNumbers(100);
  const auto first = *GenerateColumn(generator, field, 0, 1, rows);
  const auto second = *GenerateColumn(generator, field, 1, 1, rows);
  const auto other_seed = *GenerateColumn(generator, field, 0, 2, rows);
  int same = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    same += first->Values<int64_t>()[i] == second->Values<int64_t>()[i];
    same += first->Values<int64_t>()[i] == other_seed->Values<int64_t>()[i];
  }
  CHECK(same == 0);
}

TEST_CASE("Datagen's sequences exist for every type and end at its limits", "[connectors][unit]") {
  const GeneratorSpec by_two{.kind = GeneratorKind::kSequence, .start = 10, .step = 2};
  const std::vector<int64_t> rows = {0, 1, 5};
  CHECK(Generate(by_two, types::kInt32Type, rows)->Values<int32_t>()[2] == 20);
  CHECK(Generate(by_two, types::kTimestampType, rows)->Values<int64_t>()[1] == 12);
  CHECK(Generate(by_two, types::kDateType, rows)->Values<int32_t>()[0] == 10);
  CHECK(Generate(by_two, types::kDoubleType, rows)->Values<double>()[2] == 20);
  CHECK(Generate(by_two, types::kStringType, rows)->String(2) == "20");
  CHECK(Generate(by_two, types::DecimalType(5, 2), rows)->Values<types::Int128>()[2] == 2000);
  const types::Field small{"c", types::kInt32Type};
  CHECK(GenerateColumn({.kind = GeneratorKind::kSequence}, small, 0, 0, {int64_t{INT32_MAX}}).ok());
  const auto beyond =
      GenerateColumn({.kind = GeneratorKind::kSequence}, small, 0, 0, {int64_t{INT32_MAX} + 1});
  CHECK(beyond.status().code() == absl::StatusCode::kOutOfRange);
  CHECK(beyond.status().message() ==
        "datagen: the sequence of column 'c' leaves int32 at or before row 2147483648");
}

}  // namespace weir::connectors
