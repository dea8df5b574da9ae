#include "taskmanager/operators/select_operator.h"

#include <catch2/catch.hpp>

#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_exprs.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::ChangeKind;
using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema =
    SchemaOf({{"a", types::kInt64Type, true}, {"s", types::kStringType, true}});

Cells Row(int64_t a, const std::string& s) {
  return {a, s};
}

// Select of named expressions over kSchema.
SelectOperator Select(const std::vector<std::pair<std::string, std::string>>& columns,
                      const std::string& where = "",
                      graph::OnError on_error = graph::OnError::kFail) {
  graph::SelectSpec spec;
  spec.on_error = on_error;
  std::vector<types::Field> fields;
  for (const auto& [name, text] : columns) {
    spec.columns.push_back({name, Bind(text, *kSchema)});
    fields.push_back({name, spec.columns.back().expr->type(), true});
  }
  if (!where.empty()) spec.where = Bind(where, *kSchema);
  return SelectOperator(spec, "step", SchemaOf(fields));
}

types::BatchPtr ThreeRows() {
  return RowMaker(kSchema)
      .RowAt(10, Row(1, "x"))
      .RowAt(20, Row(2, "y"))
      .RowAt(30, {Null(), std::string("z")})
      .Finish();
}

}  // namespace

TEST_CASE("Select computes columns and shares those that pass unchanged", "[operators][unit]") {
  const SelectOperator select = Select({{"twice", "a * 2"}, {"s", "s"}});
  OperatorHarness harness(select);
  harness.Start();
  const types::BatchPtr batch = ThreeRows();
  harness.Push(batch);
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 2,'x'", "+I 4,'y'", "+I null,'z'"});
  CHECK(output[0]->column_ptr(1) == batch->column_ptr(1));
  CHECK(output[0]->schema().field(0).name == "twice");
  CHECK(output[0]->event_times()[2] == 30);
}

TEST_CASE("Select with where leaves rows out and keeps event times beside the rest",
          "[operators][unit]") {
  const SelectOperator select = Select({{"twice", "a * 2"}, {"s", "s"}}, "s <> 'x'");
  OperatorHarness harness(select);
  harness.Start();
  harness.Push(ThreeRows());
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 4,'y'", "+I null,'z'"});
  CHECK(output[0]->event_times()[output[0]->rows()[0]] == 20);
  CHECK(output[0]->event_times()[output[0]->rows()[1]] == 30);
}

TEST_CASE("Select that computes nothing hands the selection on", "[operators][unit]") {
  const SelectOperator select = Select({{"t", "s"}, {"b", "a"}}, "a = 2");
  OperatorHarness harness(select);
  harness.Start();
  const types::BatchPtr batch = ThreeRows();
  harness.Push(batch);
  harness.Push(types::RecordBatch::Select(*batch, {0, 1}));
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 'y',2", "+I 'y',2"});
  CHECK(output[0]->column_ptr(0) == batch->column_ptr(1));
  CHECK(output[1]->event_times()[output[1]->rows()[0]] == 20);
}

TEST_CASE("Select emits nothing when no row passes", "[operators][unit]") {
  const SelectOperator select = Select({{"b", "a + 1"}}, "a > 100");
  OperatorHarness harness(select);
  harness.Start();
  harness.Push(ThreeRows());
  CHECK(harness.TakeOutput().empty());
}

TEST_CASE("Select keeps change kinds", "[operators][unit]") {
  const SelectOperator select = Select({{"b", "a + 1"}}, "a > 1");
  OperatorHarness harness(select);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .Row(Row(1, ""), ChangeKind::kUpdateBefore)
                   .Row(Row(2, ""), ChangeKind::kUpdateAfter)
                   .Row(Row(3, ""), ChangeKind::kUpdateBefore)
                   .Row(Row(4, ""), ChangeKind::kUpdateAfter)
                   .Row(Row(5, ""), ChangeKind::kDelete)
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 3", "-U 4", "+U 5", "-D 6"});
}

TEST_CASE("Select skips rows it cannot compute, and mends their updates", "[operators][unit]") {
  const SelectOperator select = Select({{"b", "10 / a"}, {"s", "s"}}, "", graph::OnError::kSkip);
  OperatorHarness harness(select);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .Row(Row(0, "bad"), ChangeKind::kUpdateBefore)
                   .Row(Row(2, "good"), ChangeKind::kUpdateAfter)
                   .Row(Row(5, "good"), ChangeKind::kUpdateBefore)
                   .Row(Row(0, "bad"), ChangeKind::kUpdateAfter)
                   .Row(Row(0, "bad"))
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 5,'good'", "-D 2,'good'"});
  CHECK(harness.metrics().rows_skipped == 3);
  harness.Push(RowMaker(kSchema).Row(Row(0, "bad")).Finish());
  CHECK(harness.TakeOutput().empty());
}

TEST_CASE("Select names step, column and cause of a row that fails the job", "[operators][unit]") {
  const SelectOperator select = Select({{"s", "s"}, {"b", "10 / a"}});
  OperatorHarness harness(select);
  harness.Start();
  const absl::Status status = harness.TryPush(RowMaker(kSchema).Row(Row(0, "x")).Finish());
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK_THAT(std::string(status.message()), Catch::Contains("step 'step', column 'b'"));
}

}  // namespace weir::operators
