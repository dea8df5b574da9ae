#include "taskmanager/operators/filter_operator.h"

#include <catch2/catch.hpp>

#include "taskmanager/operators/union_operator.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_exprs.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::ChangeKind;
using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema =
    SchemaOf({{"a", types::kInt64Type, true}, {"b", types::kInt64Type, true}});

FilterOperator Filter(const std::string& where, graph::OnError on_error = graph::OnError::kFail) {
  return FilterOperator({Bind(where, *kSchema), on_error}, "step");
}

Cells Row(int64_t a, int64_t b) {
  return {a, b};
}

}  // namespace

TEST_CASE("A filter keeps rows for which the predicate is true", "[operators][unit]") {
  const FilterOperator filter = Filter("a > b");
  OperatorHarness harness(filter);
  harness.Start();
  const types::BatchPtr batch = RowMaker(kSchema)
                                    .Row(Row(2, 1))
                                    .Row(Row(1, 2))
                                    .Row({int64_t{1}, Null()})
                                    .Row(Row(5, 4))
                                    .Finish();
  harness.Push(batch);
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 2,1", "+I 5,4"});
  // The columns are the input's own.
  CHECK(output[0]->column_ptr(0) == batch->column_ptr(0));
  CHECK(harness.metrics().rows_in == 4);
  CHECK(harness.metrics().rows_out == 2);
}

TEST_CASE("A filter hands a batch on that passes whole and nothing of one that does not",
          "[operators][unit]") {
  const FilterOperator filter = Filter("a > 0");
  OperatorHarness harness(filter);
  harness.Start();
  const types::BatchPtr batch = RowMaker(kSchema).Row(Row(2, 1)).Row(Row(1, 2)).Finish();
  harness.Push(batch);
  harness.Push(RowMaker(kSchema).Row(Row(-2, 1)).Finish());
  const auto output = harness.TakeOutput();
  REQUIRE(output.size() == 1);
  CHECK(output[0] == batch);
}

TEST_CASE("A filter narrows a selection", "[operators][unit]") {
  const FilterOperator filter = Filter("a > 1");
  OperatorHarness harness(filter);
  harness.Start();
  const types::BatchPtr batch =
      RowMaker(kSchema).Row(Row(1, 0)).Row(Row(2, 0)).Row(Row(3, 0)).Row(Row(4, 0)).Finish();
  harness.Push(types::RecordBatch::Select(*batch, {0, 2, 3}));
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 3,0", "+I 4,0"});
}

TEST_CASE("Of an update of which one row passes a filter leaves a delete or an insert",
          "[operators][unit]") {
  const FilterOperator filter = Filter("b > 0");
  OperatorHarness harness(filter);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .Row(Row(1, 1), ChangeKind::kUpdateBefore)
                   .Row(Row(1, 2), ChangeKind::kUpdateAfter)
                   .Row(Row(2, 1), ChangeKind::kUpdateBefore)
                   .Row(Row(2, 0), ChangeKind::kUpdateAfter)
                   .Row(Row(3, 0), ChangeKind::kUpdateBefore)
                   .Row(Row(3, 1), ChangeKind::kUpdateAfter)
                   .Row(Row(4, 0), ChangeKind::kUpdateBefore)
                   .Row(Row(4, 0), ChangeKind::kUpdateAfter)
                   .Row(Row(5, 1), ChangeKind::kDelete)
                   .Row(Row(6, 1))
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) ==
        Texts{"-U 1,1", "+U 1,2", "-D 2,1", "+I 3,1", "-D 5,1", "+I 6,1"});
}

TEST_CASE("A filter's failing row fails the job or is skipped", "[operators][unit]") {
  const types::BatchPtr batch =
      RowMaker(kSchema).Row(Row(1, 0)).Row(Row(6, 2)).Row(Row(1, 0)).Finish();
  const FilterOperator failing = Filter("a / b > 1");
  OperatorHarness strict(failing);
  strict.Start();
  const absl::Status status = strict.TryPush(batch);
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(status.message()), Catch::Contains("step 'step'"));
  CHECK_THAT(std::string(status.message()), Catch::Contains("zero"));

  const FilterOperator skipping = Filter("a / b > 1", graph::OnError::kSkip);
  OperatorHarness lenient(skipping);
  lenient.Start();
  lenient.Push(batch);
  CHECK(RowTexts(lenient.TakeOutput()) == Texts{"+I 6,2"});
  CHECK(lenient.metrics().rows_skipped == 2);
}

TEST_CASE("A union hands on what comes in", "[operators][unit]") {
  const UnionOperator merging;
  OperatorHarness harness(merging);
  harness.Start();
  const types::BatchPtr batch = RowMaker(kSchema).Row(Row(1, 2)).Finish();
  harness.Push(batch);
  const auto output = harness.TakeOutput();
  REQUIRE(output.size() == 1);
  CHECK(output[0] == batch);
  CHECK(harness.metrics().rows_out == 1);
}

}  // namespace weir::operators
