#include "taskmanager/operators/aggregate_operator.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using Texts = std::vector<std::string>;

const types::SchemaPtr kInts =
    SchemaOf({{"k", types::kInt64Type, false}, {"v", types::kInt64Type, true}});

graph::AggregateSpec AtEnd(graph::AggregateSpec spec) {
  spec.emit = graph::EmitMode::kAtEnd;
  return spec;
}

// The final rows over one column `v` of `type`, one global group.
Texts FinalRows(const types::DataType& type, const std::vector<AggregateFunction>& functions,
                const std::vector<Cell>& values) {
  const types::SchemaPtr schema = SchemaOf({{"v", type, true}});
  std::vector<Call> calls;
  for (const AggregateFunction function : functions) {
    calls.push_back({function, function == AggregateFunction::kCountAll ? "" : "v"});
  }
  const AggregateOperator aggregate = MakeAggregate(schema, AtEnd(SpecOf(*schema, 0, calls)));
  OperatorHarness harness(aggregate);
  harness.Start();
  RowMaker rows(schema);
  for (const Cell& value : values) rows.Row({value});
  if (rows.size() > 0) harness.Push(rows.Finish());
  harness.End();
  return RowTexts(harness.TakeOutput());
}

const std::vector<AggregateFunction> kAll = {
    AggregateFunction::kCountAll, AggregateFunction::kCount, AggregateFunction::kCountDistinct,
    AggregateFunction::kSum,      AggregateFunction::kAvg,   AggregateFunction::kMin,
    AggregateFunction::kMax};

const std::vector<AggregateFunction> kWithoutSums = {
    AggregateFunction::kCountAll, AggregateFunction::kCount, AggregateFunction::kCountDistinct,
    AggregateFunction::kMin, AggregateFunction::kMax};

}  // namespace

TEST_CASE("Aggregates skip NULLs and give NULL for no values", "[operators][unit]") {
  const std::vector<Cell> some = {int64_t{4}, Null(), int64_t{-2}, int64_t{4}};
  CHECK(FinalRows(types::kInt64Type, kAll, some) == Texts{"+I 4,3,2,6,2,-2,4"});
  CHECK(FinalRows(types::kInt32Type, kAll, some) == Texts{"+I 4,3,2,6,2,-2,4"});
  CHECK(FinalRows(types::DecimalType(10, 2), kAll, some) ==
        Texts{"+I 4,3,2,0.06,0.020000,-0.02,0.04"});
  CHECK(FinalRows(types::kDoubleType, kAll, {1.5, Null(), -0.5, 1.5}) ==
        Texts{"+I 4,3,2,2.5,0.833333,-0.5,1.5"});
  CHECK(FinalRows(types::kStringType, kWithoutSums,
                  {std::string("b"), Null(), std::string(), std::string("b")}) ==
        Texts{"+I 4,3,2,'','b'"});
  CHECK(FinalRows(types::kBoolType, kWithoutSums, {int64_t{1}, int64_t{0}, Null()}) ==
        Texts{"+I 3,2,2,0,1"});
  for (const types::DataType& type :
       {types::kInt64Type, types::kInt32Type, types::kDoubleType, types::DecimalType(10, 2)}) {
    CHECK(FinalRows(type, kAll, {Null(), Null()}) == Texts{"+I 2,0,0,null,null,null,null"});
    CHECK(FinalRows(type, kAll, {}) == Texts{"+I 0,0,0,null,null,null,null"});
  }
  CHECK(FinalRows(types::kStringType, kWithoutSums, {}) == Texts{"+I 0,0,0,null,null"});
}

TEST_CASE("min and max put NaN above all other doubles", "[operators][unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<AggregateFunction> extremes = {AggregateFunction::kMin,
                                                   AggregateFunction::kMax};
  CHECK(FinalRows(types::kDoubleType, extremes, {1.0, nan, infinity}) == Texts{"+I 1,nan"});
  CHECK(FinalRows(types::kDoubleType, extremes, {nan, 1.0}) == Texts{"+I 1,nan"});
  CHECK(FinalRows(types::kDoubleType, extremes, {nan, nan}) == Texts{"+I nan,nan"});
  CHECK(FinalRows(types::kDoubleType, extremes, {-infinity, 1.0}) == Texts{"+I -inf,1"});
}

TEST_CASE("An average of integers is exact where their sum would not fit", "[operators][unit]") {
  CHECK(FinalRows(types::kInt64Type, {AggregateFunction::kAvg},
                  {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, int64_t{6}}) == Texts{"+I 0.8"});
}

TEST_CASE("Aggregation groups by key, NULL being a key like others", "[operators][unit]") {
  const types::SchemaPtr schema = SchemaOf({{"a", types::kStringType, true},
                                            {"b", types::kInt32Type, true},
                                            {"v", types::kInt64Type, true}});
  const AggregateOperator aggregate =
      MakeAggregate(schema, AtEnd(SpecOf(*schema, 2, {{AggregateFunction::kSum, "v"}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  const auto row = [](Cell a, Cell b, int64_t v) { return Cells{std::move(a), std::move(b), v}; };
  harness.Push(RowMaker(schema)
                   .Row(row(std::string("x"), int64_t{1}, 1))
                   .Row(row(Null(), int64_t{1}, 2))
                   .Row(row(std::string("x"), int64_t{1}, 4))
                   .Row(row(std::string("x"), Null(), 8))
                   .Row(row(Null(), int64_t{1}, 16))
                   .Row(row(std::string(), int64_t{1}, 32))
                   .Finish());
  harness.End();
  CHECK(SortedTexts(harness.TakeOutput()) ==
        Texts{"+I '',1,32", "+I 'x',1,5", "+I 'x',null,8", "+I null,1,18"});
}

TEST_CASE("Aggregation counts only selected rows", "[operators][unit]") {
  const AggregateOperator aggregate = MakeAggregate(
      kInts, AtEnd(SpecOf(*kInts, 1,
                          {{AggregateFunction::kSum, "v"}, {AggregateFunction::kCountAll, ""}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  RowMaker rows(kInts);
  for (int64_t i = 0; i < 6; ++i) rows.Row({i % 2, i});
  harness.Push(types::RecordBatch::Select(*rows.Finish(), {1, 2, 3}));
  harness.End();
  CHECK(SortedTexts(harness.TakeOutput()) == Texts{"+I 0,2,1", "+I 1,4,2"});
}

TEST_CASE("A sum out of range fails the job", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kInts, AtEnd(SpecOf(*kInts, 1, {{AggregateFunction::kSum, "v"}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  const absl::Status status = harness.TryPush(
      RowMaker(kInts).Row({int64_t{1}, INT64_MAX}).Row({int64_t{1}, int64_t{1}}).Finish());
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.message() ==
        "step 'step', column 'r0', key (k = 1): a sum is out of range (on_error: skip drops such "
        "rows)");
}

TEST_CASE("A sum out of range is told with its column and all values of its key",
          "[operators][unit]") {
  const types::SchemaPtr schema = SchemaOf({{"s", types::kStringType, true},
                                            {"d", types::DecimalType(6, 2), true},
                                            {"i", types::kInt64Type, true},
                                            {"v", types::kInt64Type, true}});
  const AggregateOperator aggregate =
      MakeAggregate(schema, AtEnd(SpecOf(*schema, 3,
                                         {{AggregateFunction::kCountAll, ""},
                                          {AggregateFunction::kMax, "v"},
                                          {AggregateFunction::kSum, "v"}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  const std::string text = std::string(63, 'x') + "\u00e4";
  const absl::Status status = harness.TryPush(RowMaker(schema)
                                                  .Row({"other", int64_t{1}, Null(), int64_t{5}})
                                                  .Row({text, int64_t{150}, Null(), INT64_MIN})
                                                  .Row({text, int64_t{150}, Null(), int64_t{-1}})
                                                  .Finish());
  CHECK(status.message() == "step 'step', column 'r2', key (s = '" + std::string(63, 'x') +
                                "...', d = 1.50, i = NULL): a sum is out of range (on_error: skip "
                                "drops such rows)");
}

TEST_CASE("A row that takes a sum out of range is skipped by all aggregates", "[operators][unit]") {
  const types::SchemaPtr schema = SchemaOf({{"k", types::kInt64Type, false},
                                            {"v", types::kInt64Type, true},
                                            {"d", types::DecimalType(38, 0), true},
                                            {"s", types::kStringType, true}});
  graph::AggregateSpec spec = AtEnd(SpecOf(*schema, 1,
                                           {{AggregateFunction::kCountAll, ""},
                                            {AggregateFunction::kSum, "d"},
                                            {AggregateFunction::kSum, "v"},
                                            {AggregateFunction::kMax, "s"},
                                            {AggregateFunction::kCountDistinct, "s"}}));
  spec.on_error = graph::OnError::kSkip;
  const AggregateOperator aggregate = MakeAggregate(schema, spec);
  OperatorHarness harness(aggregate);
  harness.Start();
  const auto row = [](int64_t k, int64_t v, int64_t d, const std::string& s) {
    return Cells{k, v, d, s};
  };
  harness.Push(RowMaker(schema)
                   .Row(row(1, INT64_MAX - 1, 1, "a"))
                   .Row(row(1, 5, 2, "z"))  // too much
                   .Row(row(1, 1, 4, "b"))  // fits
                   .Row(row(2, INT64_MIN, 8, "a"))
                   .Row(row(2, -1, 16, "z"))  // too little
                   .Row(row(2, 3, 32, "a"))
                   .Finish());
  // A key all of whose rows are skipped is no key.
  harness.Push(RowMaker(schema).Row(row(1, 1, 1, "y")).Finish());
  harness.End();
  CHECK(SortedTexts(harness.TakeOutput()) ==
        Texts{"+I 1,2,5,9223372036854775807,'b',2", "+I 2,2,40,-9223372036854775805,'a',1"});
  CHECK(harness.metrics().rows_skipped == 3);
}

TEST_CASE("A key all of whose rows were skipped has no row", "[operators][unit]") {
  const types::DataType wide = types::DecimalType(38, 0);
  const types::SchemaPtr schema = SchemaOf({{"k", types::kInt64Type, false}, {"d", wide, true}});
  graph::AggregateSpec spec = AtEnd(SpecOf(*schema, 1, {{AggregateFunction::kSum, "d"}}));
  spec.on_error = graph::OnError::kSkip;
  const AggregateOperator aggregate = MakeAggregate(schema, spec);
  OperatorHarness harness(aggregate);
  harness.Start();
  types::BatchBuilder rows(schema);
  for (int i = 0; i < 3; ++i) {
    rows.column(0).Append(int64_t{7});
    rows.column(1).Append(types::PowerOfTen(38) - 1);
    rows.EndRow();
  }
  harness.Push(rows.Finish());
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 7," + std::string(38, '9')});
  CHECK(harness.metrics().rows_skipped == 2);
}

TEST_CASE("Many keys are emitted at the end a few batches at a time", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kInts, AtEnd(SpecOf(*kInts, 1, {{AggregateFunction::kCountAll, ""}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  constexpr int64_t kKeys = 20000;
  for (int64_t begin = 0; begin < kKeys; begin += 1000) {
    RowMaker rows(kInts);
    for (int64_t i = begin; i < begin + 1000; ++i) rows.Row({i, Null()});
    harness.Push(rows.Finish());
  }
  harness.End();
  CHECK(harness.blocked_count() >= 4);
  const auto output = harness.TakeOutput();
  std::vector<int> seen(kKeys, 0);
  for (const types::BatchPtr& batch : output) {
    for (const uint32_t row : batch->rows()) {
      ++seen[static_cast<size_t>(batch->column(0).Values<int64_t>()[row])];
      REQUIRE(batch->column(1).Values<int64_t>()[row] == 1);
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == kKeys);
}

TEST_CASE("Long strings fill output batches by their bytes", "[operators][unit]") {
  const types::SchemaPtr schema =
      SchemaOf({{"k", types::kInt64Type, false}, {"s", types::kStringType, true}});
  const AggregateOperator aggregate =
      MakeAggregate(schema, AtEnd(SpecOf(*schema, 1, {{AggregateFunction::kMin, "s"}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  for (int64_t i = 0; i < 40; ++i) {
    harness.Push(RowMaker(schema).Row({i, std::string(100 * 1024, 'x')}).Finish());
  }
  harness.End();
  const auto output = harness.TakeOutput();
  CHECK(output.size() >= 13);
  for (const types::BatchPtr& batch : output) CHECK(batch->size() <= 3);
}

TEST_CASE("An aggregate with a key gives nothing over no rows", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kInts, AtEnd(SpecOf(*kInts, 1, {{AggregateFunction::kCountAll, ""}})));
  OperatorHarness harness(aggregate);
  harness.Start();
  harness.End();
  CHECK(harness.TakeOutput().empty());
}

TEST_CASE("Exactly one subtask gives the global row over no rows", "[operators][unit]") {
  const AggregateOperator aggregate =
      MakeAggregate(kInts, AtEnd(SpecOf(*kInts, 0, {{AggregateFunction::kCountAll, ""}})));
  size_t rows = 0;
  for (uint32_t subtask = 0; subtask < 3; ++subtask) {
    OperatorHarness harness(aggregate, {subtask, 3});
    harness.Start();
    harness.End();
    rows += RowTexts(harness.TakeOutput()).size();
  }
  CHECK(rows == 1);
}

}  // namespace weir::operators
