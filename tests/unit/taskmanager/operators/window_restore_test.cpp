// What must hold: windows survive a restart at any point with any parallelism: what is emitted
// after a snapshot is what would have been emitted without one, lateness included.
#include <catch2/catch.hpp>

#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/parallel_run.h"
#include "tests/unit/taskmanager/operators/window_oracle.h"

namespace weir::operators {
namespace {

void Append(std::vector<std::string>* all, std::vector<std::string> more) {
  all->insert(all->end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("Windows go on after restarts with changing parallelism", "[operators][unit]") {
  const uint64_t seed = TestSeed(41);
  INFO("WEIR_TEST_SEED=" << seed);
  const graph::WindowSpec window =
      GENERATE(graph::WindowSpec{16, 16, 0}, graph::WindowSpec{17, 5, 2});
  const WindowResults results = GENERATE(WindowResults::kAll, WindowResults::kSums);
  CAPTURE(window.size_us, window.slide_us, static_cast<int>(results));
  const types::SchemaPtr schema = WindowInput();
  const WindowAggregateOperator windowed =
      MakeWindowed(schema, SpecOf(*schema, 1, WindowCalls(results)), window);
  ParallelRun run(windowed, schema, {0}, 2);
  WindowOracle oracle(window, results);
  WindowRowSource source(seed, /*start=*/1000, /*spread=*/30);
  base::Random random(seed);
  std::vector<std::string> expected;
  std::vector<std::string> actual;
  int64_t late = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<WindowRow> rows = source.Next();
    for (const WindowRow& row : rows) oracle.Add(row);
    run.Push(BatchOf(rows));
    const int64_t watermark = source.NextWatermark();
    run.Watermark(watermark);
    Append(&expected, oracle.Advance(watermark));
    Append(&actual, SortedTexts(run.TakeOutput()));
    if (!random.OneIn(3)) continue;
    const auto pieces = run.Snapshot();
    late += run.Total(&OperatorMetrics::rows_late);
    // Work after the snapshot is lost and must leave no trace in it.
    run.Push(BatchOf(source.Next()));
    run.Watermark(watermark + 10);
    run.Restart(pieces, static_cast<uint32_t>(random.Between(1, 4)));
    // A restored source begins below what has closed.
    run.Watermark(watermark - 100);
  }
  run.End();
  late += run.Total(&OperatorMetrics::rows_late);
  Append(&expected, oracle.Advance(kEventTimeMax));
  Append(&actual, SortedTexts(run.TakeOutput()));
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  CHECK(actual == expected);
  CHECK(late == oracle.late());
}

TEST_CASE("The lowest of the stored watermarks counts after a change of parallelism",
          "[operators][unit]") {
  const types::SchemaPtr schema = WindowInput();
  const WindowAggregateOperator windowed =
      MakeWindowed(schema, SpecOf(*schema, 1, {{AggregateFunction::kCountAll, ""}}), {10, 10, 0});
  std::vector<state::OperatorSubtaskState> pieces;
  for (uint32_t subtask = 0; subtask < 2; ++subtask) {
    OperatorHarness harness(windowed, {subtask, 2});
    harness.Start();
    harness.Watermark(subtask == 0 ? 29 : 19);
    pieces.push_back(harness.Snapshot());
  }
  OperatorHarness harness(windowed);
  harness.Start(pieces);
  harness.Push(BatchOf({{15, 1, 0, ""}, {25, 1, 0, ""}}));
  CHECK(harness.metrics().rows_late == 1);
}

TEST_CASE("A damaged stored watermark is refused", "[operators][unit]") {
  const types::SchemaPtr schema = WindowInput();
  const WindowAggregateOperator windowed =
      MakeWindowed(schema, SpecOf(*schema, 1, {{AggregateFunction::kCountAll, ""}}), {10, 10, 0});
  OperatorHarness first(windowed);
  first.Start();
  first.context().lists.Register("watermark", state::ListMode::kUnion).value()->elements = {"xyz"};
  CHECK(windowed.Open(first.state()).code() == absl::StatusCode::kDataLoss);
}

}  // namespace weir::operators
