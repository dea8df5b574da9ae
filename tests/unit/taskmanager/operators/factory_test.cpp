#include "taskmanager/operators/factory.h"

#include <catch2/catch.hpp>

#include "taskmanager/operators/window_assigner.h"
#include "tests/unit/taskmanager/operators/aggregate_samples.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_exprs.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema =
    SchemaOf({{"k", types::kInt64Type, false}, {"v", types::kInt64Type, true}});

// A plan of a source and one node behind it.
graph::Plan PlanOf(graph::StepSpec spec, types::SchemaPtr output) {
  graph::Plan plan;
  plan.nodes.resize(2);
  plan.nodes[0].schema = kSchema;
  plan.nodes[1].step_id = "step";
  plan.nodes[1].spec = std::move(spec);
  plan.nodes[1].schema = std::move(output);
  plan.nodes[1].inputs.push_back({});
  return plan;
}

// What the node makes of two rows and the end of the input.
Texts Run(const graph::Plan& plan) {
  const auto op = MakeOperator(plan.nodes[1], plan);
  REQUIRE(op.ok());
  OperatorHarness harness(**op);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .RowAt(5, {int64_t{1}, int64_t{2}})
                   .RowAt(6, {int64_t{1}, int64_t{3}})
                   .Finish());
  harness.End();
  return RowTexts(harness.TakeOutput());
}

graph::AggregateSpec Sum() {
  return SpecOf(*kSchema, 1, {{AggregateFunction::kSum, "v"}});
}

}  // namespace

TEST_CASE("MakeOperator makes each kind of step from its plan", "[operators][unit]") {
  CHECK(Run(PlanOf(graph::FilterSpec{Bind("v > 2", *kSchema)}, kSchema)) == Texts{"+I 1,3"});
  CHECK(Run(PlanOf(graph::UnionSpec{}, kSchema)) == Texts{"+I 1,2", "+I 1,3"});
  graph::SelectSpec select;
  select.columns.push_back({"w", Bind("v + 1", *kSchema)});
  CHECK(Run(PlanOf(select, SchemaOf({{"w", types::kInt64Type, true}}))) == Texts{"+I 3", "+I 4"});
  graph::UnnestSpec unnest;
  unnest.expr = Bind("regexp_extract_all('a b', '[a-z]')", *kSchema);
  CHECK(Run(PlanOf(unnest, SchemaOf({{"k", types::kInt64Type, false},
                                     {"v", types::kInt64Type, true},
                                     {"e", types::kStringType, true}})))
            .size() == 4);
  graph::AggregateSpec aggregate = Sum();
  CHECK(Run(PlanOf(aggregate, OutputOf(*kSchema, aggregate))) == Texts{"+I 1,5"});
  aggregate.window = graph::WindowSpec{10, 10, 0};
  aggregate.emit = graph::EmitMode::kOnClose;
  CHECK(Run(PlanOf(aggregate, OutputOf(*kSchema, aggregate))) == Texts{"+I 1,0,10,5"});
}

TEST_CASE("MakeOperator refuses what a state cannot hold", "[operators][unit]") {
  graph::AggregateSpec windowed = Sum();
  windowed.emit = graph::EmitMode::kOnClose;
  windowed.window = graph::WindowSpec{kWindowSizeUsMax, kWindowSizeUsMax, 0};
  const graph::Plan largest = PlanOf(windowed, OutputOf(*kSchema, windowed));
  CHECK(MakeOperator(largest.nodes[1], largest).ok());
  windowed.window = graph::WindowSpec{kWindowSizeUsMax + 1, kWindowSizeUsMax + 1, 0};
  const graph::Plan too_long = PlanOf(windowed, OutputOf(*kSchema, windowed));
  CHECK(MakeOperator(too_long.nodes[1], too_long).status().code() ==
        absl::StatusCode::kInvalidArgument);

  const std::vector<Call> calls(1000, {AggregateFunction::kSum, "v"});
  const graph::AggregateSpec wide = SpecOf(*kSchema, 1, calls);
  const graph::Plan too_wide = PlanOf(wide, OutputOf(*kSchema, wide));
  const absl::Status status = MakeOperator(too_wide.nodes[1], too_wide).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(status.message()), Catch::Contains("step 'step'"));
}

}  // namespace weir::operators
