// What must hold of the changelog of an unwindowed aggregation, with the input an append stream
// and with an updating one: applied in order it gives the result over the rows that are there.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/changelog_table.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::ChangeKind;
using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema = SchemaOf({{"k", types::kInt64Type, false},
                                           {"i", types::kInt64Type, true},
                                           {"d", types::DecimalType(12, 2), true},
                                           {"s", types::kStringType, true},
                                           {"f", types::kDoubleType, true}});

const std::vector<Call> kCalls = {
    {AggregateFunction::kCountAll, ""},       {AggregateFunction::kCount, "i"},
    {AggregateFunction::kSum, "i"},           {AggregateFunction::kAvg, "i"},
    {AggregateFunction::kMin, "i"},           {AggregateFunction::kMax, "i"},
    {AggregateFunction::kSum, "d"},           {AggregateFunction::kAvg, "d"},
    {AggregateFunction::kMin, "s"},           {AggregateFunction::kMax, "s"},
    {AggregateFunction::kCountDistinct, "s"}, {AggregateFunction::kCountDistinct, "i"},
    {AggregateFunction::kMax, "f"},           {AggregateFunction::kSum, "f"}};

struct InputRow {
  int64_t key = 0;
  Cells cells;  // all columns
};

// Results of kCalls over the live rows of one key, in plain code.
std::string Expected(const std::vector<InputRow>& rows) {
  int64_t count = 0;
  int64_t sum = 0;
  types::Int128 decimals = 0;
  int64_t decimal_count = 0;
  double doubles = 0;
  std::multiset<int64_t> ints;
  std::multiset<std::string> strings;
  std::multiset<double> floats;
  for (const InputRow& row : rows) {
    ++count;
    if (const auto* value = std::get_if<int64_t>(&row.cells[1])) {
      sum += *value;
      ints.insert(*value);
    }
    if (const auto* value = std::get_if<int64_t>(&row.cells[2])) {
      decimals += *value;
      ++decimal_count;
    }
    if (const auto* value = std::get_if<std::string>(&row.cells[3])) strings.insert(*value);
    if (const auto* value = std::get_if<double>(&row.cells[4])) {
      floats.insert(*value);
      doubles += *value;
    }
  }
  const auto or_null = [](bool has, const std::string& text) { return has ? text : "null"; };
  const bool has_ints = !ints.empty();
  const std::string mean =
      has_ints ? absl::StrCat(static_cast<double>(sum) / static_cast<double>(ints.size())) : "";
  std::string decimal_mean;
  if (decimal_count > 0) {
    // Four more digits, rounded half away from zero.
    const types::Int128 scaled = (decimals < 0 ? -decimals : decimals) * 10000;
    const types::Int128 rounded = (scaled * 2 + decimal_count) / (decimal_count * 2);
    decimal_mean = types::FormatDecimal(decimals < 0 ? -rounded : rounded, 6);
  }
  const std::set<std::string> distinct(strings.begin(), strings.end());
  const std::set<int64_t> distinct_ints(ints.begin(), ints.end());
  return absl::StrCat(
      count, ",", ints.size(), ",", or_null(has_ints, absl::StrCat(sum)), ",",
      or_null(has_ints, mean), ",", or_null(has_ints, has_ints ? absl::StrCat(*ints.begin()) : ""),
      ",", or_null(has_ints, has_ints ? absl::StrCat(*ints.rbegin()) : ""), ",",
      or_null(decimal_count > 0, types::FormatDecimal(decimals, 2)), ",",
      or_null(decimal_count > 0, decimal_mean), ",",
      or_null(!strings.empty(), strings.empty() ? "" : absl::StrCat("'", *strings.begin(), "'")),
      ",",
      or_null(!strings.empty(), strings.empty() ? "" : absl::StrCat("'", *strings.rbegin(), "'")),
      ",", distinct.size(), ",", distinct_ints.size(), ",",
      or_null(!floats.empty(), floats.empty() ? "" : absl::StrCat(*floats.rbegin())), ",",
      or_null(!floats.empty(), absl::StrCat(doubles)));
}

InputRow RandomRow(base::Random& random, int64_t keys) {
  InputRow row;
  row.key = random.Between(0, keys - 1);
  const auto sometimes = [&](Cell cell) { return random.OneIn(5) ? Cell(Null()) : cell; };
  // Multiples of 1/4 add up exactly in any order.
  const double quarter = static_cast<double>(random.Between(-40, 40)) / 4;
  row.cells = {row.key, sometimes(random.Between(-9, 9)), sometimes(random.Between(-500, 500)),
               sometimes(std::string(random.Below(30), static_cast<char>('a' + random.Below(4)))),
               sometimes(quarter)};
  return row;
}

// Pushes random changes of a table with `keys` keys and keeps that table.
class RandomInput {
 public:
  RandomInput(uint64_t seed, int64_t keys) : random_(seed), keys_(keys) {}

  types::BatchPtr NextBatch(bool only_inserts) {
    RowMaker rows(kSchema);
    const size_t count = 1 + random_.Below(60);
    while (rows.size() < count) {
      const uint64_t action = only_inserts || live_.empty() ? 0 : random_.Below(4);
      if (action == 0) {
        Insert(rows, ChangeKind::kInsert, RandomRow(random_, keys_));
      } else if (action == 1) {
        Delete(rows, ChangeKind::kDelete, random_.Below(live_.size()));
      } else {
        const size_t victim = random_.Below(live_.size());
        InputRow after = RandomRow(random_, keys_);
        after.key = live_[victim].key;
        after.cells[0] = after.key;
        Delete(rows, ChangeKind::kUpdateBefore, victim);
        Insert(rows, ChangeKind::kUpdateAfter, after);
      }
    }
    return rows.Finish();
  }

  // Deletes everything.
  types::BatchPtr Drain() {
    RowMaker rows(kSchema);
    while (!live_.empty() && rows.size() < 1000) {
      Delete(rows, ChangeKind::kDelete, random_.Below(live_.size()));
    }
    return rows.Finish();
  }

  std::map<std::string, std::string> ExpectedTable() const {
    std::map<int64_t, std::vector<InputRow>> groups;
    for (const InputRow& row : live_) groups[row.key].push_back(row);
    std::map<std::string, std::string> table;
    for (const auto& [key, rows] : groups) table[absl::StrCat(key)] = Expected(rows);
    return table;
  }

  bool IsEmpty() const { return live_.empty(); }

 private:
  void Insert(RowMaker& rows, ChangeKind kind, InputRow row) {
    rows.Row(row.cells, kind);
    live_.push_back(std::move(row));
  }
  void Delete(RowMaker& rows, ChangeKind kind, size_t index) {
    rows.Row(live_[index].cells, kind);
    live_[index] = live_.back();
    live_.pop_back();
  }

  base::Random random_;
  const int64_t keys_;
  std::vector<InputRow> live_;
};

graph::AggregateSpec Updating(const std::vector<Call>& calls, bool input_is_updating) {
  graph::AggregateSpec spec = SpecOf(*kSchema, 1, calls);
  spec.emit = graph::EmitMode::kUpdating;
  spec.input_is_updating = input_is_updating;
  return spec;
}

Cells IntRow(int64_t key, int64_t value) {
  return {key, value, Null(), Null(), Null()};
}

}  // namespace

TEST_CASE("An updating aggregation emits the net change of each batch", "[operators][unit]") {
  const AggregateOperator aggregate = MakeAggregate(
      kSchema,
      Updating({{AggregateFunction::kCountAll, ""}, {AggregateFunction::kMax, "i"}}, false));
  OperatorHarness harness(aggregate);
  harness.Start();
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 5)).Row(IntRow(2, 6)).Row(IntRow(1, 4)).Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,2,5", "+I 2,1,6"});
  harness.Push(RowMaker(kSchema).Row(IntRow(3, 1)).Row(IntRow(1, 9)).Row(IntRow(1, 9)).Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 3,1,1", "-U 1,2,5", "+U 1,4,9"});
}

TEST_CASE("An updating aggregation says nothing of unchanged results", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kSchema, Updating({{AggregateFunction::kMax, "i"}}, false));
  OperatorHarness harness(aggregate);
  harness.Start();
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 5)).Finish());
  harness.TakeOutput();
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 5)).Row(IntRow(1, 3)).Finish());
  CHECK(harness.TakeOutput().empty());
}

TEST_CASE("A key whose last row is deleted loses its row", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kSchema, Updating({{AggregateFunction::kSum, "i"}}, true));
  OperatorHarness harness(aggregate);
  harness.Start();
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 5)).Row(IntRow(2, 6)).Finish());
  harness.TakeOutput();
  harness.Push(RowMaker(kSchema)
                   .Row(IntRow(1, 5), ChangeKind::kDelete)
                   .Row(IntRow(2, 6), ChangeKind::kUpdateBefore)
                   .Row(IntRow(2, 7), ChangeKind::kUpdateAfter)
                   .Row(IntRow(3, 1))
                   .Row(IntRow(3, 1), ChangeKind::kDelete)
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"-D 1,5", "-U 2,6", "+U 2,7"});
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 8)).Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,8"});
}

TEST_CASE("Deleting a row that never came is an error", "[operators][unit]") {
  for (const AggregateFunction function : {AggregateFunction::kSum, AggregateFunction::kMin}) {
    const AggregateOperator aggregate = MakeAggregate(kSchema, Updating({{function, "i"}}, true));
    OperatorHarness harness(aggregate);
    harness.Start();
    const absl::Status status =
        harness.TryPush(RowMaker(kSchema).Row(IntRow(1, 5), ChangeKind::kDelete).Finish());
    CHECK(status.code() == absl::StatusCode::kFailedPrecondition);
  }
}

TEST_CASE("A deletion on an append edge is a bug that is noticed", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kSchema, Updating({{AggregateFunction::kSum, "i"}}, false));
  OperatorHarness harness(aggregate);
  harness.Start();
  const absl::Status status =
      harness.TryPush(RowMaker(kSchema).Row(IntRow(1, 5), ChangeKind::kDelete).Finish());
  CHECK(status.code() == absl::StatusCode::kInternal);
}

TEST_CASE("A sum over an updating input that is out of range has no row until it fits again",
          "[operators][unit]") {
  graph::AggregateSpec spec = Updating({{AggregateFunction::kSum, "i"}}, true);
  spec.on_error = graph::OnError::kSkip;
  const AggregateOperator aggregate = MakeAggregate(kSchema, spec);
  OperatorHarness harness(aggregate);
  harness.Start();
  harness.Push(RowMaker(kSchema).Row(IntRow(1, INT64_MAX)).Finish());
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 1)).Finish());
  harness.Push(RowMaker(kSchema).Row(IntRow(1, 1)).Finish());
  harness.Push(RowMaker(kSchema).Row(IntRow(1, INT64_MAX), ChangeKind::kDelete).Finish());
  CHECK(RowTexts(harness.TakeOutput()) ==
        Texts{"+I 1,9223372036854775807", "-D 1,9223372036854775807", "+I 1,2"});
  CHECK(harness.metrics().rows_skipped == 2);
}

TEST_CASE("A sum over an updating input that is out of range is told with column and key",
          "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kSchema, Updating({{AggregateFunction::kSum, "i"}}, true));
  OperatorHarness harness(aggregate);
  harness.Start();
  const absl::Status status = harness.TryPush(
      RowMaker(kSchema).Row(IntRow(3, 1)).Row(IntRow(7, INT64_MAX)).Row(IntRow(7, 1)).Finish());
  CHECK_THAT(std::string(status.message()),
             Catch::Contains("step 'step', column 'r0', key (k = 7): an aggregate's result is out "
                             "of range"));
}

TEST_CASE("Retracting infinities and NaNs leaves the finite sum", "[operators][unit]") {
  const AggregateOperator aggregate = MakeAggregate(
      kSchema, Updating({{AggregateFunction::kSum, "f"}, {AggregateFunction::kAvg, "f"}}, true));
  OperatorHarness harness(aggregate);
  harness.Start();
  const auto row = [](double value) { return Cells{int64_t{1}, Null(), Null(), Null(), value}; };
  const double infinity = std::numeric_limits<double>::infinity();
  harness.Push(RowMaker(kSchema).Row(row(1e20)).Row(row(1.5)).Row(row(infinity)).Finish());
  harness.Push(RowMaker(kSchema).Row(row(-infinity)).Finish());
  harness.Push(RowMaker(kSchema)
                   .Row(row(infinity), ChangeKind::kDelete)
                   .Row(row(-infinity), ChangeKind::kDelete)
                   .Row(row(1e20), ChangeKind::kDelete)
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) ==
        Texts{"+I 1,inf,inf", "-U 1,inf,inf", "+U 1,nan,nan", "-U 1,nan,nan", "+U 1,1.5,1.5"});
}

TEST_CASE("The changelog of random updates chains and ends at the recomputed results",
          "[operators][unit]") {
  const uint64_t seed = TestSeed(21);
  INFO("WEIR_TEST_SEED=" << seed);
  const bool input_is_updating = GENERATE(false, true);
  CAPTURE(input_is_updating);
  const AggregateOperator aggregate = MakeAggregate(kSchema, Updating(kCalls, input_is_updating));
  OperatorHarness harness(aggregate);
  harness.Start();
  RandomInput input(seed, 12);
  ChangelogTable table(/*key_count=*/1);
  for (int i = 0; i < 120; ++i) {
    harness.Push(input.NextBatch(!input_is_updating));
    table.Apply(harness.TakeOutput());
    REQUIRE(table.rows() == input.ExpectedTable());
  }
  while (input_is_updating && !input.IsEmpty()) {
    harness.Push(input.Drain());
    table.Apply(harness.TakeOutput());
    REQUIRE(table.rows() == input.ExpectedTable());
  }
  // Deleting everything leaves no state behind.
  if (input_is_updating) CHECK(harness.Snapshot().keyed_managed[0].stream.size < 64 * 1024);
}

TEST_CASE("At the end an aggregation of random updates gives the recomputed results",
          "[operators][unit]") {
  const uint64_t seed = TestSeed(22);
  INFO("WEIR_TEST_SEED=" << seed);
  graph::AggregateSpec spec = Updating(kCalls, true);
  spec.emit = graph::EmitMode::kAtEnd;
  const AggregateOperator aggregate = MakeAggregate(kSchema, spec);
  OperatorHarness harness(aggregate);
  harness.Start();
  RandomInput input(seed, 300);
  for (int i = 0; i < 60; ++i) harness.Push(input.NextBatch(/*only_inserts=*/false));
  CHECK(harness.TakeOutput().empty());
  harness.End();
  ChangelogTable table(/*key_count=*/1);
  table.Apply(harness.TakeOutput());
  CHECK(table.rows() == input.ExpectedTable());
}

TEST_CASE("Updates of many keys with long strings keep their pairs together", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kSchema, Updating({{AggregateFunction::kMax, "s"}}, false));
  OperatorHarness harness(aggregate);
  harness.Start();
  for (const char letter : {'a', 'b'}) {
    RowMaker rows(kSchema);
    for (int64_t key = 0; key < 1024; ++key) {
      rows.Row({key, Null(), Null(), std::string(3000, letter), Null()});
    }
    harness.Push(rows.Finish());
  }
  CHECK(harness.blocked_count() > 0);
  ChangelogTable table(/*key_count=*/1);
  const auto output = harness.TakeOutput();
  for (const types::BatchPtr& batch : output) {
    CHECK(batch->ByteSize() < types::kBatchBytesMax + 64 * 1024);
  }
  table.Apply(output);
  CHECK(table.rows().size() == 1024);
  CHECK(table.rows().at("77") == absl::StrCat("'", std::string(3000, 'b'), "'"));
}

}  // namespace weir::operators
