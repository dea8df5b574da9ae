// What must hold: a row fails alone, and nothing is computed for a row that does not need it.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

using Values = std::vector<std::string>;
using Rows = types::PodVector<uint32_t>;

// i: 0, 2, NULL, 5; l: 10, 10, 10, NULL.
types::BatchPtr Batch() {
  return MakeBatch({"|0|10||a|||||1|", "|2|10||b|||||1|", "||10||c|||||1|", "|5|||d|||||1|"});
}

BoundExprPtr Predicate(StringView text) {
  BindErrors errors;
  const BoundExprPtr expr = BindPredicate(text, {*TestSchema(), ""}, &errors);
  REQUIRE(expr != nullptr);
  return expr;
}

}  // namespace

TEST_CASE("A row that fails is NULL and recorded, the others go on", "[expr][unit]") {
  CHECK(EvalRows("l / i", Batch()) == Values{"error: division by zero", "5", "NULL", "NULL"});
}

TEST_CASE("NULL rows do not fail", "[expr][unit]") {
  const auto batch = MakeBatch({"|||||||||1|", "|1||||||||1|"});
  CHECK(EvalRows("1 / i", batch) == Values{"NULL", "1"});
  CHECK(EvalRows("(i + 2147483646) / i", batch) == Values{"NULL", "2147483647"});
  CHECK(EvalRows("s::int", batch) == Values{"NULL", "NULL"});
}

TEST_CASE("CASE computes only the branch a row takes", "[expr][unit]") {
  CHECK(EvalRows("case when i <> 0 then l / i end", Batch()) ==
        Values{"NULL", "5", "NULL", "NULL"});
  CHECK(EvalRows("case when i = 0 then -1 else l / i end", Batch()) ==
        Values{"-1", "5", "NULL", "NULL"});
  CHECK(EvalRows("case when i = 0 then 0 when l / i = 5 then 1 else 2 end", Batch()) ==
        Values{"0", "1", "2", "2"});
  CHECK(EvalRows("case i when 0 then 'zero' when 2 then s end", Batch()) ==
        Values{"zero", "b", "NULL", "NULL"});
  // A condition that fails does so only for the rows that come to it.
  CHECK(EvalRows("case when i > 0 then 1 when l / i > 0 then 2 end", Batch())[0] ==
        "error: division by zero");
}

TEST_CASE("AND and OR stop where they are decided", "[expr][unit]") {
  CHECK(EvalRows("i <> 0 and l / i = 5", Batch()) == Values{"false", "true", "NULL", "NULL"});
  CHECK(EvalRows("i = 0 or l / i = 5", Batch()) == Values{"true", "true", "NULL", "NULL"});
  CHECK(EvalRows("i = 0 or l / i = 5 or s = 'd'", Batch()) ==
        Values{"true", "true", "NULL", "true"});
  CHECK(EvalRows("l / i = 5 and i <> 0", Batch())[0] == "error: division by zero");
  CHECK(Eval("false and 1 / 0 = 1") == "false");
  CHECK(Eval("true or 1 / 0 = 1") == "true");
}

TEST_CASE("A value that is used several times is computed once", "[expr][unit]") {
  CHECK(EvalRows("(i + 1) between 1 and l / (i - 2)", Batch()) ==
        Values{"false", "error: division by zero", "NULL", "NULL"});
  CHECK(EvalRows("(i + 1) not between 2 and 100", Batch()) ==
        Values{"true", "false", "NULL", "false"});
  CHECK(EvalRows("nullif(i + 1, 3)", Batch()) == Values{"1", "NULL", "NULL", "6"});
  CHECK(EvalRows("case i + 1 when 1 then 'a' when 3 then s || '!' when i then 'c' end", Batch()) ==
        Values{"a", "b!", "NULL", "NULL"});
  CHECK(EvalRows("case when i > 0 then (i * 2) in (ni, l, 4) end", Batch()) ==
        Values{"NULL", "true", "NULL", "NULL"});
  // Twice per level would take for ever.
  std::string nested = "i + 0";
  for (int level = 0; level < 90; ++level) nested = "nullif(" + nested + ", -1)";
  CHECK(EvalRows(nested, Batch()) == Values{"0", "2", "NULL", "5"});
  nested = "(i > 1)";
  for (int level = 0; level < 90; ++level) nested = "(" + nested + " between false and true)";
  CHECK(EvalRows(nested, Batch())[2] == "NULL");
  CHECK(ReferencedColumns(*Predicate(nested)) == std::vector<size_t>{1});
}

TEST_CASE("COALESCE stops at the first value", "[expr][unit]") {
  CHECK(EvalRows("coalesce(i, l / 0)", Batch()) ==
        Values{"0", "2", "error: division by zero", "5"});
  CHECK(EvalRows("coalesce(nullif(i, 0), -1)", Batch()) == Values{"-1", "2", "-1", "5"});
  CHECK(EvalRows("coalesce(null, s)", Batch()) == Values{"a", "b", "c", "d"});
}

TEST_CASE("A failed row is NULL even where a node above made a value", "[expr][unit]") {
  CHECK(EvalRows("coalesce(l / i, 7)", Batch()) ==
        Values{"error: division by zero", "5", "7", "7"});
  CHECK(EvalRows("(l / i) is null", Batch()) ==
        Values{"error: division by zero", "false", "true", "true"});
}

TEST_CASE("A predicate keeps the rows that are TRUE", "[expr][unit]") {
  const auto batch = Batch();
  EvalErrors errors;
  CHECK(EvaluatePredicate(*Predicate("i > 1"), *batch, batch->rows(), &errors) == Rows{1, 3});
  CHECK(EvaluatePredicate(*Predicate("i is null or i = 0"), *batch, batch->rows(), &errors) ==
        Rows{0, 2});
  CHECK(EvaluatePredicate(*Predicate("null"), *batch, batch->rows(), &errors).empty());
  CHECK(EvaluatePredicate(*Predicate("true"), *batch, batch->rows(), &errors).size() == 4);
  CHECK_FALSE(errors.any());
}

TEST_CASE("A predicate leaves failed rows out and later conjuncts alone", "[expr][unit]") {
  const auto batch = Batch();
  EvalErrors errors;
  CHECK(EvaluatePredicate(*Predicate("i <> 0 and l / i = 5"), *batch, batch->rows(), &errors) ==
        Rows{1});
  CHECK_FALSE(errors.any());
  CHECK(EvaluatePredicate(*Predicate("l / i = 5 or true"), *batch, batch->rows(), &errors) ==
        Rows{1, 2, 3});
  CHECK(errors.count() == 1);
  CHECK(errors.Failed(0));
}

TEST_CASE("Evaluation looks at the given rows only", "[expr][unit]") {
  const auto batch = types::RecordBatch::Select(*Batch(), {1, 3});
  CHECK(EvalRows("i + 1", batch) == Values{"3", "6"});
  CHECK(EvalRows("10 / i", batch) == Values{"5", "2"});
  CHECK(EvalRows("s || '!'", batch) == Values{"b!", "d!"});
  CHECK(EvalRows("i", batch) == Values{"2", "5"});
  CHECK(EvalRows("42", batch) == Values{"42", "42"});
  CHECK(EvalRows("1 / 0", batch) == Values{"error: division by zero", "error"});
  const auto none = types::RecordBatch::Select(*Batch(), {});
  CHECK(EvalRows("s || 'x'", none).empty());
  CHECK(EvalRows("regexp_extract_all(s, 'x')", none).empty());
}

TEST_CASE("EvalErrors keeps the first row's first message", "[expr][unit]") {
  EvalErrors errors;
  errors.SetExpression(3);
  errors.Record(7, {1, 2}, "seven");
  errors.Record(9, {1, 2}, "nine");
  errors.Record(4, {5, 6}, "four");
  errors.Record(4, {7, 8}, "four again");
  CHECK(errors.count() == 3);
  CHECK(errors.first_row() == 4);
  CHECK(errors.first_message() == "four");
  CHECK(errors.first_range() == TextRange{5, 6});
  CHECK(errors.first_expression() == 3);
  CHECK(errors.Without({3, 4, 9, 10}) == Rows{3, 10});
  errors.Reset();
  CHECK_FALSE(errors.any());
  CHECK_FALSE(errors.Failed(4));
}

TEST_CASE("A row error names the place in the text", "[expr][unit]") {
  BindErrors bind_errors;
  const BoundExprPtr expr = BindExpression("1 + l / i", {*TestSchema(), ""}, &bind_errors);
  REQUIRE(expr != nullptr);
  const auto batch = Batch();
  EvalErrors errors;
  REQUIRE(Evaluate(*expr, *batch, batch->rows(), &errors).ok());
  CHECK(errors.first_range() == TextRange{6, 1});
}

TEST_CASE("Constants are computed once, at binding", "[expr][unit]") {
  BindErrors errors;
  const BindScope scope{*TestSchema(), ""};
  CHECK(BindExpression("1 + 2 * 3", scope, &errors)->IsConstant());
  CHECK(BindExpression("lower('ABC') || 'x'", scope, &errors)->IsConstant());
  CHECK(BindExpression("date_trunc('day', timestamptz '2026-01-01 10:00Z')", scope, &errors)
            ->IsConstant());
  CHECK_FALSE(BindExpression("1 / 0", scope, &errors)->IsConstant());
  CHECK(errors.empty());
}

TEST_CASE("A column alone is passed on, not copied", "[expr][unit]") {
  BindErrors bind_errors;
  const BoundExprPtr expr = BindExpression("s", {*TestSchema(), ""}, &bind_errors);
  const auto batch = Batch();
  EvalErrors errors;
  CHECK(*Evaluate(*expr, *batch, batch->rows(), &errors) == batch->column_ptr(4));
}

}  // namespace weir::expr
