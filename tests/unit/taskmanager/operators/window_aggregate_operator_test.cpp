#include "taskmanager/operators/window_aggregate_operator.h"

#include <catch2/catch.hpp>

#include "taskmanager/operators/aggregate_input.h"
#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_rows.h"
#include "tests/unit/taskmanager/operators/window_oracle.h"

namespace weir::operators {
namespace {

using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema = WindowInput();

WindowAggregateOperator Counting(graph::WindowSpec window) {
  return MakeWindowed(kSchema, SpecOf(*kSchema, 1, {{AggregateFunction::kCountAll, ""}}), window);
}

types::BatchPtr At(const std::vector<EventTimeUs>& times, int64_t key = 1) {
  std::vector<WindowRow> rows;
  for (const EventTimeUs time : times) rows.push_back({time, key, 0, ""});
  return BatchOf(rows);
}

}  // namespace

TEST_CASE("A tumbling window is emitted when the watermark reaches its last microsecond",
          "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 10, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({0, 9, 10, 25}));
  harness.Watermark(8);
  CHECK(harness.TakeOutput().empty());
  harness.Watermark(9);
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 1,0,10,2"});
  CHECK(output[0]->event_times()[0] == 9);
  harness.Watermark(1000);
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,10,20,1", "+I 1,20,30,1"});
}

TEST_CASE("Windows before 1970 and with an offset have their proper bounds", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 10, 3});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({-8, -7, 2, 3}));
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,-17,-7,1", "+I 1,-7,3,2", "+I 1,3,13,1"});
}

TEST_CASE("Hopping windows overlap and close in order", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 4, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({5, 30}));
  harness.Watermark(20);
  // Windows [-4, 6), [0, 10), [4, 14).
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,-4,6,1", "+I 1,0,10,1", "+I 1,4,14,1"});
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,24,34,1", "+I 1,28,38,1"});
}

TEST_CASE("A row all of whose windows have closed is dropped and counted", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 10, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Watermark(9);
  harness.Push(At({9, 3, 10}));
  CHECK(harness.metrics().rows_late == 2);
  CHECK(harness.metrics().rows_partially_late == 0);
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,10,20,1"});
}

TEST_CASE("A row that missed some of its windows goes to the others", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 5, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({7}));
  harness.Watermark(9);
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,0,10,1"});
  harness.Push(At({8, 4}));
  CHECK(harness.metrics().rows_partially_late == 1);
  CHECK(harness.metrics().rows_late == 1);
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,5,15,2"});
}

TEST_CASE("A watermark that goes back changes nothing", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 10, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({5}));
  harness.Watermark(9);
  harness.Watermark(3);
  harness.Push(At({5}));
  CHECK(harness.metrics().rows_late == 1);
  CHECK(RowTexts(harness.TakeOutput()).size() == 1);
}

TEST_CASE("An event time whose windows do not fit is a row error", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 10, 0});
  OperatorHarness strict(windowed);
  strict.Start();
  CHECK(strict.TryPush(At({INT64_MAX})).code() == absl::StatusCode::kInvalidArgument);
  // The last window of year 9999 would end in year 10000, which cannot be written.
  const absl::Status last = strict.TryPush(At({types::kTimestampMax}));
  CHECK(last.code() == absl::StatusCode::kInvalidArgument);
  CHECK(last.message() ==
        "step 'step': an event time with a window that reaches outside of the years 0001 to 9999 "
        "(on_error: skip drops such rows)");
  CHECK(strict.TryPush(At({types::kTimestampMax - 10, types::kTimestampMin})).ok());

  graph::AggregateSpec spec = SpecOf(*kSchema, 1, {{AggregateFunction::kCountAll, ""}});
  spec.on_error = graph::OnError::kSkip;
  const WindowAggregateOperator skipping = MakeWindowed(kSchema, spec, {10, 10, 0});
  OperatorHarness harness(skipping);
  harness.Start();
  harness.Push(At({INT64_MIN, 5, INT64_MAX}));
  CHECK(harness.metrics().rows_skipped == 2);
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 1,0,10,1"});
}

TEST_CASE("Sums out of range are skipped: a row in tumbling windows, a result in hopping ones",
          "[operators][unit]") {
  graph::AggregateSpec spec =
      SpecOf(*kSchema, 1, {{AggregateFunction::kSum, "n"}, {AggregateFunction::kCountAll, ""}});
  spec.on_error = graph::OnError::kSkip;
  const std::vector<WindowRow> rows = {{1, 1, INT64_MAX, ""}, {2, 1, 1, ""}, {6, 1, 3, ""}};

  const WindowAggregateOperator tumbling = MakeWindowed(kSchema, spec, {5, 5, 0});
  OperatorHarness by_row(tumbling);
  by_row.Start();
  by_row.Push(BatchOf(rows));
  by_row.End();
  CHECK(RowTexts(by_row.TakeOutput()) == Texts{"+I 1,0,5,9223372036854775807,1", "+I 1,5,10,3,1"});
  CHECK(by_row.metrics().rows_skipped == 1);

  const WindowAggregateOperator hopping = MakeWindowed(kSchema, spec, {10, 5, 0});
  OperatorHarness by_result(hopping);
  by_result.Start();
  by_result.Push(BatchOf(rows));
  by_result.End();
  CHECK(RowTexts(by_result.TakeOutput()) == Texts{"+I 1,5,15,3,1"});
  CHECK(by_result.metrics().rows_skipped == 2);

  spec.on_error = graph::OnError::kFail;
  const WindowAggregateOperator failing = MakeWindowed(kSchema, spec, {10, 5, 0});
  OperatorHarness telling(failing);
  telling.Start();
  telling.Push(BatchOf(rows));
  CHECK_THAT(std::string(telling.TryWatermark(100).message()),
             Catch::Contains("step 'step', column 'r0', key (k = 1): an aggregate's result is out "
                             "of range"));
}

TEST_CASE("A window of many keys is emitted a few batches at a time", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 5, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  constexpr int64_t kKeys = 30000;
  for (int64_t begin = 0; begin < kKeys; begin += 1000) {
    std::vector<WindowRow> rows;
    for (int64_t key = begin; key < begin + 1000; ++key) rows.push_back({key % 10, key, 0, ""});
    harness.Push(BatchOf(rows));
  }
  harness.Watermark(9);
  CHECK(harness.blocked_count() >= 6);
  // [-5, 5) holds half of the keys, [0, 10) all.
  CHECK(RowTexts(harness.TakeOutput()).size() == kKeys / 2 + kKeys);
}

TEST_CASE("Hopping windows by several keys count distinct values once per key",
          "[operators][unit]") {
  const types::SchemaPtr schema = SchemaOf({{"a", types::kStringType, true},
                                            {"b", types::kInt32Type, true},
                                            {"s", types::kStringType, true},
                                            {"d", types::kDoubleType, true}});
  const WindowAggregateOperator windowed =
      MakeWindowed(schema,
                   SpecOf(*schema, 2,
                          {{AggregateFunction::kCountDistinct, "s"},
                           {AggregateFunction::kCountDistinct, "d"},
                           {AggregateFunction::kMax, "s"}}),
                   {10, 5, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  const std::string a = "a string beyond what a slot of a table holds";
  const auto row = [](Cell key, Cell other, Cell text, Cell number) {
    return Cells{std::move(key), std::move(other), std::move(text), std::move(number)};
  };
  harness.Push(RowMaker(schema)
                   .RowAt(1, row(a, int64_t{1}, std::string("x"), 0.0))
                   .RowAt(2, row(a, Null(), std::string("x"), 1.0))
                   .RowAt(6, row(a, int64_t{1}, std::string("x"), -0.0))
                   .RowAt(7, row(a, int64_t{1}, std::string("y"), Null()))
                   .RowAt(8, row(Null(), Null(), Null(), Null()))
                   .Finish());
  harness.Watermark(9);
  CHECK(SortedTexts(harness.TakeOutput()) ==
        Texts{"+I '" + a + "',1,-5,5,1,1,'x'", "+I '" + a + "',1,0,10,2,1,'y'",
              "+I '" + a + "',null,-5,5,1,1,'x'", "+I '" + a + "',null,0,10,1,1,'x'",
              "+I null,null,0,10,0,0,null"});
}

TEST_CASE("Keys leave a hopping window with their last slice", "[operators][unit]") {
  const WindowAggregateOperator windowed = Counting({10, 5, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({1}, 1));
  harness.Push(At({6, 7, 11}, 2));
  harness.Watermark(9);
  CHECK(SortedTexts(harness.TakeOutput()) == Texts{"+I 1,-5,5,1", "+I 1,0,10,1", "+I 2,0,10,2"});
  // Changes a slice of the last window: the next one must not be made from it as it was.
  harness.Push(At({8}, 3));
  harness.Watermark(14);
  CHECK(SortedTexts(harness.TakeOutput()) == Texts{"+I 2,5,15,3", "+I 3,5,15,1"});
  harness.End();
  CHECK(SortedTexts(harness.TakeOutput()) == Texts{"+I 2,10,20,1"});
  // Nothing is kept of windows that have closed.
  CHECK(harness.context()
            .keyed
            .RegisterNamespaced(AccumulatorStateSpec(
                AccumulatorLayout(SpecOf(*kSchema, 1, {{AggregateFunction::kCountAll, ""}}),
                                  {Retraction::kNever, SumRange::kExact}),
                /*is_key_fixed=*/true))
            .value()
            ->tables()
            .empty());
}

TEST_CASE("A global window gives nothing where no row fell", "[operators][unit]") {
  const WindowAggregateOperator windowed =
      MakeWindowed(kSchema, SpecOf(*kSchema, 0, {{AggregateFunction::kCountAll, ""}}), {10, 10, 0});
  OperatorHarness harness(windowed);
  harness.Start();
  harness.Push(At({5, 45}));
  harness.End();
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 0,10,1", "+I 40,50,1"});
}

TEST_CASE("Windowed aggregation of random rows equals the one in plain code", "[operators][unit]") {
  const uint64_t seed = TestSeed(31);
  INFO("WEIR_TEST_SEED=" << seed);
  const graph::WindowSpec window =
      GENERATE(graph::WindowSpec{16, 16, 0}, graph::WindowSpec{16, 4, 3},
               graph::WindowSpec{17, 5, 2}, graph::WindowSpec{30, 29, 11});
  const WindowResults results = GENERATE(WindowResults::kAll, WindowResults::kSums);
  CAPTURE(window.size_us, window.slide_us, window.offset_us, static_cast<int>(results));
  const WindowAggregateOperator windowed =
      MakeWindowed(kSchema, SpecOf(*kSchema, 1, WindowCalls(results)), window);
  OperatorHarness harness(windowed);
  harness.Start();
  WindowOracle oracle(window, results);
  WindowRowSource source(seed, /*start=*/-200, /*spread=*/30);
  for (int i = 0; i < 60; ++i) {
    const std::vector<WindowRow> rows = source.Next();
    for (const WindowRow& row : rows) oracle.Add(row);
    harness.Push(BatchOf(rows));
    const int64_t watermark = source.NextWatermark();
    harness.Watermark(watermark);
    REQUIRE(SortedTexts(harness.TakeOutput()) == oracle.Advance(watermark));
  }
  harness.End();
  CHECK(SortedTexts(harness.TakeOutput()) == oracle.Advance(kEventTimeMax));
  CHECK(harness.metrics().rows_late == oracle.late());
  CHECK(harness.metrics().rows_partially_late == oracle.partially_late());
  CHECK(oracle.late() > 0);
}

}  // namespace weir::operators
