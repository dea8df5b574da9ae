#include "taskmanager/operators/unnest_operator.h"

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "tests/unit/taskmanager/operators/operator_harness.h"
#include "tests/unit/taskmanager/operators/test_exprs.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

using types::ChangeKind;
using Texts = std::vector<std::string>;

const types::SchemaPtr kSchema = SchemaOf({{"line", types::kStringType, true}});

enum class Outer { kNo, kYes };
enum class Ordinality { kNo, kYes };

UnnestOperator Words(Outer outer, Ordinality ordinality) {
  graph::UnnestSpec spec;
  spec.expr = Bind("regexp_extract_all(line, '[a-z]+')", *kSchema);
  spec.outer = outer == Outer::kYes;
  spec.has_ordinality = ordinality == Ordinality::kYes;
  std::vector<types::Field> fields = {{"line", types::kStringType, true},
                                      {"word", types::kStringType, true}};
  if (spec.has_ordinality) fields.push_back({"n", types::kInt64Type, true});
  return UnnestOperator(spec, "step", SchemaOf(fields));
}

Cells Line(const std::string& text) {
  return {text};
}

}  // namespace

TEST_CASE("Unnest gives a row for each element", "[operators][unit]") {
  const UnnestOperator unnest = Words(Outer::kNo, Ordinality::kNo);
  OperatorHarness harness(unnest);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .RowAt(1, Line("a b"))
                   .RowAt(2, Line("1"))
                   .RowAt(3, {Null()})
                   .RowAt(4, Line("c"))
                   .Finish());
  const auto output = harness.TakeOutput();
  CHECK(RowTexts(output) == Texts{"+I 'a b','a'", "+I 'a b','b'", "+I 'c','c'"});
  CHECK(output[0]->event_times()[1] == 1);
  CHECK(output[0]->event_times()[2] == 4);
}

TEST_CASE("Outer unnest keeps rows without elements, numbers start at 1", "[operators][unit]") {
  const UnnestOperator unnest = Words(Outer::kYes, Ordinality::kYes);
  OperatorHarness harness(unnest);
  harness.Start();
  harness.Push(
      RowMaker(kSchema).Row(Line("2")).Row(Line("a b")).Row({Null()}).Row(Line("c")).Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I '2',null,null", "+I 'a b','a',1",
                                                "+I 'a b','b',2", "+I null,null,null",
                                                "+I 'c','c',1"});
}

TEST_CASE("Unnest looks only at selected rows", "[operators][unit]") {
  const UnnestOperator unnest = Words(Outer::kNo, Ordinality::kNo);
  OperatorHarness harness(unnest);
  harness.Start();
  const types::BatchPtr batch =
      RowMaker(kSchema).Row(Line("a")).Row(Line("b")).Row(Line("c")).Finish();
  harness.Push(types::RecordBatch::Select(*batch, {1, 2}));
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 'b','b'", "+I 'c','c'"});
}

TEST_CASE("Unnest turns updates into deletes and inserts", "[operators][unit]") {
  const UnnestOperator unnest = Words(Outer::kNo, Ordinality::kNo);
  OperatorHarness harness(unnest);
  harness.Start();
  harness.Push(RowMaker(kSchema)
                   .Row(Line("a b"), ChangeKind::kUpdateBefore)
                   .Row(Line("c"), ChangeKind::kUpdateAfter)
                   .Row(Line("d"), ChangeKind::kDelete)
                   .Finish());
  CHECK(RowTexts(harness.TakeOutput()) ==
        Texts{"-D 'a b','a'", "-D 'a b','b'", "+I 'c','c'", "-D 'd','d'"});
}

TEST_CASE("Unnest emits long arrays a few batches at a time, in order", "[operators][unit]") {
  const UnnestOperator unnest = Words(Outer::kNo, Ordinality::kYes);
  OperatorHarness harness(unnest);
  harness.Start();
  std::string line;
  for (int i = 0; i < 700; ++i) absl::StrAppend(&line, "w ");
  RowMaker rows(kSchema);
  for (int i = 0; i < 20; ++i) rows.Row(Line(line));
  harness.Push(rows.Finish());
  CHECK(harness.blocked_count() > 0);
  const auto output = harness.TakeOutput();
  int64_t next = 0;
  int64_t rows_out = 0;
  for (const types::BatchPtr& batch : output) {
    // The text of a line makes batches full long before 1024 rows.
    REQUIRE(batch->ByteSize() < 2 * types::kBatchBytesMax);
    for (const uint32_t row : batch->rows()) {
      REQUIRE(batch->column(2).Values<int64_t>()[row] == next % 700 + 1);
      ++next;
    }
    rows_out += static_cast<int64_t>(batch->size());
  }
  CHECK(rows_out == 20 * 700);
  // The next batch starts afresh.
  harness.Push(RowMaker(kSchema).Row(Line("z")).Finish());
  CHECK(RowTexts(harness.TakeOutput()) == Texts{"+I 'z','z',1"});
}

}  // namespace weir::operators
