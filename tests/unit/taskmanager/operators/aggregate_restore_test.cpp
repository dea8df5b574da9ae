// What must hold: an unwindowed aggregation goes on after a restart at any point with any
// parallelism as if there had been none.
#include <map>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/changelog_table.h"
#include "tests/unit/taskmanager/operators/parallel_run.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::ChangeKind;

// Grouped by a string key, with all kinds of state: inline, strings, and values.
types::SchemaPtr Input() {
  return SchemaOf({{"k", types::kStringType, true},
                   {"n", types::kInt64Type, true},
                   {"s", types::kStringType, true}});
}

const std::vector<Call> kCalls = {{AggregateFunction::kCountAll, ""},
                                  {AggregateFunction::kSum, "n"},
                                  {AggregateFunction::kMax, "s"},
                                  {AggregateFunction::kMin, "n"},
                                  {AggregateFunction::kCountDistinct, "s"}};

Cells RandomCells(base::Random& random) {
  Cells cells = {absl::StrCat("a key longer than a slot of a state table: ", random.Below(40)),
                 random.Between(-100, 100), absl::StrCat("word ", random.Below(60))};
  if (random.OneIn(10)) cells[0] = Null();
  return cells;
}

// Random batches; the deletions are of rows inserted before.
class Changes {
 public:
  Changes(uint64_t seed, bool is_updating) : random_(seed), is_updating_(is_updating) {}

  types::BatchPtr Next() {
    RowMaker rows(Input());
    for (int i = 0; i < 50; ++i) {
      if (is_updating_ && !live_.empty() && random_.OneIn(3)) {
        const size_t victim = random_.Below(live_.size());
        rows.Row(live_[victim], ChangeKind::kDelete);
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        live_.push_back(RandomCells(random_));
        rows.Row(live_.back());
      }
    }
    return rows.Finish();
  }

 private:
  base::Random random_;
  const bool is_updating_;
  std::vector<Cells> live_;
};

}  // namespace

TEST_CASE("Updating aggregation goes on after restarts with changing parallelism",
          "[operators][unit]") {
  const uint64_t seed = TestSeed(51);
  INFO("WEIR_TEST_SEED=" << seed);
  const bool is_updating = GENERATE(false, true);
  CAPTURE(is_updating);
  const types::SchemaPtr schema = Input();
  graph::AggregateSpec spec = SpecOf(*schema, 1, kCalls);
  spec.input_is_updating = is_updating;
  const AggregateOperator aggregate = MakeAggregate(schema, spec);
  ParallelRun disturbed(aggregate, schema, {0}, 1);
  ParallelRun undisturbed(aggregate, schema, {0}, 1);
  ChangelogTable seen(1);
  ChangelogTable expected(1);
  Changes changes(seed, is_updating);
  Changes lost(seed + 1, /*is_updating=*/false);
  base::Random random(seed);
  for (int i = 0; i < 30; ++i) {
    const types::BatchPtr batch = changes.Next();
    disturbed.Push(batch);
    undisturbed.Push(batch);
    seen.Apply(disturbed.TakeOutput());
    expected.Apply(undisturbed.TakeOutput());
    REQUIRE(seen.rows() == expected.rows());
    if (!random.OneIn(3)) continue;
    const auto pieces = disturbed.Snapshot();
    disturbed.Push(lost.Next());
    disturbed.Restart(pieces, static_cast<uint32_t>(random.Between(1, 4)));
  }
}

TEST_CASE("Aggregation at the end is the same however often it was restored", "[operators][unit]") {
  const uint64_t seed = TestSeed(52);
  INFO("WEIR_TEST_SEED=" << seed);
  const types::SchemaPtr schema = Input();
  graph::AggregateSpec spec = SpecOf(*schema, 1, kCalls);
  spec.emit = graph::EmitMode::kAtEnd;
  const AggregateOperator aggregate = MakeAggregate(schema, spec);
  ParallelRun disturbed(aggregate, schema, {0}, 3);
  ParallelRun undisturbed(aggregate, schema, {0}, 1);
  Changes changes(seed, /*is_updating=*/false);
  for (uint32_t i = 0; i < 12; ++i) {
    const types::BatchPtr batch = changes.Next();
    disturbed.Push(batch);
    undisturbed.Push(batch);
    disturbed.Restart(disturbed.Snapshot(), 1 + i % 4);
  }
  disturbed.End();
  undisturbed.End();
  const auto rows = SortedTexts(disturbed.TakeOutput());
  CHECK(rows.size() > 30);
  CHECK(rows == SortedTexts(undisturbed.TakeOutput()));
}

TEST_CASE("A changed aggregate does not take the state of another", "[operators][unit]") {
  const types::SchemaPtr schema = Input();
  const AggregateOperator sum =
      MakeAggregate(schema, SpecOf(*schema, 1, {{AggregateFunction::kSum, "n"}}));
  const AggregateOperator min =
      MakeAggregate(schema, SpecOf(*schema, 1, {{AggregateFunction::kMin, "n"}}));
  OperatorHarness before(sum);
  before.Start();
  const auto pieces = std::vector<state::OperatorSubtaskState>{before.Snapshot()};
  OperatorHarness after(min);
  CHECK(after.TryStart(pieces).code() == absl::StatusCode::kFailedPrecondition);
}

}  // namespace weir::operators
