// What must hold: names and types are resolved as PostgreSQL would, widening only, and every error
// says what, where and what instead.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "common/expr/function_table.h"
#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

BindError FirstError(StringView text) {
  const BindErrors errors = BindErrorsOf(text);
  REQUIRE_FALSE(errors.empty());
  return errors.front();
}

absl::optional<BoundAggregate> Aggregate(StringView text, BindErrors* errors) {
  return BindAggregate(text, {*TestSchema(), "events"}, errors);
}

// "sum decimal(38,2)", or the code of the error.
std::string AggregateOf(StringView text) {
  BindErrors errors;
  const absl::optional<BoundAggregate> aggregate = Aggregate(text, &errors);
  REQUIRE(aggregate.has_value() == errors.empty());
  return aggregate ? aggregate->result_type.ToString() : errors.front().code.id;
}

}  // namespace

TEST_CASE("Constants have the least type that holds them", "[expr][unit]") {
  CHECK(TypeOf("2147483647") == "int32");
  CHECK(TypeOf("2147483648") == "int64");
  CHECK(TypeOf("9223372036854775808") == "decimal(19,0)");
  CHECK(TypeOf("1.50") == "decimal(3,2)");
  CHECK(TypeOf("0.05") == "decimal(2,2)");
  CHECK(TypeOf(".5") == "decimal(1,1)");
  CHECK(TypeOf("1.5e0") == "double");
  CHECK(TypeOf("'x'") == "string");
  CHECK(TypeOf("timestamptz '2026-01-01'") == "timestamp");
  CHECK(TypeOf("date '2026-01-01'") == "date");
  CHECK(BindErrorOf("123456789012345678901234567890123456789") ==
        "E0208@0+39 the constant has more than 38 digits");
  CHECK(BindErrorOf("1e999") == "E0208@0+5 the constant does not fit a double");
}

TEST_CASE("Numbers widen to the wider operand", "[expr][unit]") {
  CHECK(TypeOf("i + i") == "int32");
  CHECK(TypeOf("i + l") == "int64");
  CHECK(TypeOf("l + d") == "double");
  CHECK(TypeOf("m + d") == "double");
  CHECK(TypeOf("m + i") == "decimal(13,2)");
  CHECK(TypeOf("m * 2") == "decimal(13,2)");
  CHECK(TypeOf("m * m") == "decimal(24,4)");
  CHECK(TypeOf("m / 3") == "decimal(26,16)");
  CHECK(TypeOf("n / n") == "decimal(38,10)");
  CHECK(TypeOf("m % 3") == "decimal(12,2)");
  CHECK(TypeOf("coalesce(i, m, 1.555)") == "decimal(13,3)");
  CHECK(TypeOf("case when b then i else l end") == "int64");
  CHECK(TypeOf("nullif(i, 1.5)") == "decimal(11,1)");
  CHECK(TypeOf("coalesce(null, i)") == "int32");
}

TEST_CASE("Nothing but numbers and NULL widens", "[expr][unit]") {
  CHECK(BindErrorOf("s = 1") == "E0204@2+1 no operator string = int32");
  CHECK(BindErrorOf("ts = dt") == "E0204@3+1 no operator timestamp = date");
  CHECK(BindErrorOf("ts > '2026-01-01'") == "E0204@3+1 no operator timestamp > string");
  CHECK(FirstError("ts > '2026-01-01'").help.front().find("timestamptz '") != std::string::npos);
  CHECK(BindErrorOf("s || 1") == "E0204@2+2 no operator string || int32");
  CHECK(BindErrorOf("b + 1") == "E0204@2+1 no operator bool + int32");
  CHECK(BindErrorOf("case when b then 1 else 'x' end").substr(0, 5) == "E0204");
  CHECK(BindErrorOf("i in (1, 'a')") == "E0204@2+2 no operator int32 IN string");
  CHECK(BindErrorOf("d % 2") == "E0204@2+1 no operator double % double");
  CHECK(FirstError("s = 1").help.front() == "use CAST(... AS int32) on one of them");
  CHECK(FirstError("i in (1, 'a')").help.front() == "use CAST(... AS int32) on one of them");
}

TEST_CASE("A number in quotes is pointed out", "[expr][unit]") {
  for (const char* const text : {"m > '0'", "'0' < m", "i + '0'", "d <> '0'", "i in (1, '0')"}) {
    CAPTURE(text);
    CHECK(FirstError(text).help.front() == "write the number without quotes: 0");
  }
  CHECK(FirstError("m > '-1.50'").help.front() == "write the number without quotes: -1.50");
  for (const char* const text : {"m > 'x'", "m > ''", "d > 'NaN'", "d > 'infinity'", "m > s"}) {
    CAPTURE(text);
    CHECK(FirstError(text).help.front().find("use CAST(...") == 0);
  }
}

TEST_CASE("Conditions must be bool", "[expr][unit]") {
  CHECK(BindErrorOf("i and b") == "E0211@0+1 a condition must be bool, this is int32");
  CHECK(BindErrorOf("case when s then 1 end") ==
        "E0211@10+1 a condition must be bool, this is string");
  CHECK(BindErrorOf("i is true") == "E0211@0+1 a condition must be bool, this is int32");
  BindErrors errors;
  CHECK(BindPredicate("i + 1", {*TestSchema(), ""}, &errors) == nullptr);
  REQUIRE(errors.size() == 1);
  CHECK(StringView(errors[0].code.id) == "E0211");
  CHECK(BindPredicate("null", {*TestSchema(), ""}, &errors) != nullptr);
}

TEST_CASE("An unknown column is answered with the nearest and the known", "[expr][unit]") {
  const BindError error = FirstError("i > 1 and usrid < 900");
  CHECK(StringView(error.code.id) == "E0203");
  CHECK(error.range == TextRange{10, 5});
  CHECK(error.message == "unknown column 'usrid' in expression");
  CHECK(error.label ==
        "did you mean 'userId'? columns of 'events': b, i, l, d, s, ts, dt, m, n, ni, userId");
}

TEST_CASE("A name with capitals needs quotes, and the error says so", "[expr][unit]") {
  CHECK(BindErrorOf("userId") == "E0203@0+6 unknown column 'userid' in expression");
  CHECK(FirstError("userId").help.front().find("\"userId\"") != std::string::npos);
  CHECK(TypeOf("\"userId\"") == "int64");
}

TEST_CASE("A column may carry the name of its input", "[expr][unit]") {
  CHECK(TypeOf("events.i") == "int32");
  CHECK(BindErrorOf("other.i") == "E0203@0+7 unknown input 'other' in expression");
}

TEST_CASE("What other languages write is answered with what is written here", "[expr][unit]") {
  const auto help = [](const char* text) {
    const BindError error = FirstError(text);
    return error.help.empty() ? std::string() : error.help.front();
  };
  CHECK(help("s == 'x'") == "equality is written =");
  CHECK(help("concat(s, 'x')") == "texts are joined by ||: a || ' ' || b");
  CHECK(help("if(b, 1, 2)") == "write CASE WHEN condition THEN x ELSE y END");
  CHECK(help("case when b then 1") == "a CASE ends in END: CASE WHEN condition THEN x ELSE y END");
  CHECK(help("1 +").empty());
}

TEST_CASE("A text in double quotes is answered with single ones", "[expr][unit]") {
  const BindError error = FirstError("s <> \"cancelled\"");
  CHECK(StringView(error.code.id) == "E0203");
  REQUIRE(error.help.size() == 1);
  CHECK(error.help[0].find("in single quotes: 'cancelled'") != std::string::npos);
  CHECK(FirstError("s <> cancelled").help.empty());
}

TEST_CASE("An unknown function is answered with the nearest and its signatures", "[expr][unit]") {
  const BindError error = FirstError("lowr(s)");
  CHECK(StringView(error.code.id) == "E0202");
  CHECK(error.range == TextRange{0, 4});
  CHECK(error.label == "did you mean 'lower'?");
  REQUIRE(error.help.size() == 1);
  CHECK(error.help[0] == "lower(string) -> string");
  CHECK(BindErrorOf("lower(i)") == "E0202@0+5 no function lower(int32)");
  CHECK(BindErrorOf("substr(s)") == "E0202@0+6 no function substr(string)");
  CHECK(BindErrorOf("lower(*)") ==
        "E0205@0+5 lower is no aggregate: it takes neither * nor DISTINCT");
  CHECK(BindErrorOf("LOWER(s) = 1 or Upper(s) = 1").substr(0, 5) == "E0204");
}

TEST_CASE("All errors of an expression are found at once", "[expr][unit]") {
  const BindErrors errors = BindErrorsOf("foo > 1 and lowr(bar) = 'x' and i = 's'");
  REQUIRE(errors.size() == 4);
  CHECK(errors[0].range.offset == 0);
  CHECK(errors[1].range.offset == 17);
  CHECK(errors[2].range.offset == 12);
  CHECK(errors[3].range.offset == 34);
}

TEST_CASE("Type names are checked", "[expr][unit]") {
  CHECK(TypeOf("i::decimal(10,2)") == "decimal(10,2)");
  CHECK(TypeOf("cast(s as double precision)") == "double");
  CHECK(TypeOf("s::int64") == "int64");
  CHECK(TypeOf("i::numeric") == "decimal(10,0)");
  CHECK(BindErrorOf("d::numeric").substr(0, 9) == "E0204@3+7");
  CHECK(BindErrorOf("i::strng") == "E0301@3+5 unknown type 'strng'");
  CHECK(FirstError("s::timestampz").label ==
        "did you mean 'timestamptz'? types: bool, int32, int64, double, string, timestamp (here: "
        "timestamptz), date, decimal");
  CHECK(BindErrorOf("i::decimal(50,2)").substr(0, 9) == "E0306@3+7");
  CHECK(BindErrorOf("i::smallint") == "E0301@3+8 unknown type 'smallint'");
  CHECK(BindErrorOf("s::varchar(5)").substr(0, 5) == "E0301");
  CHECK(BindErrorOf("b::bigint") == "E0204@1+2 no cast from bool to int64");
}

TEST_CASE("A bare timestamp cast names the two types to choose from", "[expr][unit]") {
  for (const char* text : {"timestamp '2026-01-01'", "cast(s as timestamp)", "s::timestamp",
                           "s::timestamp without time zone", "datetime '2026-01-01'"}) {
    CAPTURE(text);
    const BindError error = FirstError(text);
    CHECK(StringView(error.code.id) == "E0205");
    REQUIRE(error.help.size() == 1);
    CHECK(error.help[0].find("timestamptz") != std::string::npos);
    CHECK(error.help[0].find("datetime") != std::string::npos);
  }
  CHECK(TypeOf("s::timestamp with time zone") == "timestamp");
}

TEST_CASE("A literal that does not read as its type is an error of binding", "[expr][unit]") {
  CHECK(BindErrorOf("timestamptz '2026-13-01'").substr(0, 11) == "E0208@12+12");
  CHECK(BindErrorOf("'abc'::int").substr(0, 9) == "E0208@0+5");
  CHECK(BindErrorOf("regexp_extract_all(s, '(')").substr(0, 10) == "E0208@22+3");
  CHECK(BindErrorOf("regexp_extract_all(s, s)").substr(0, 10) == "E0208@22+1");
  CHECK(BindErrorOf("date_trunc('hours ago', ts)").substr(0, 11) == "E0208@11+11");
  CHECK(BindErrorOf("extract(foo from ts)").substr(0, 10) == "E0208@8+3 ");
  CHECK(BindErrorOf("s like 'a\\'").substr(0, 9) == "E0208@7+4");
}

TEST_CASE("NULL alone has no type, a cast gives it one", "[expr][unit]") {
  CHECK(BindErrorOf("null") == "E0204@0+4 NULL alone has no type");
  CHECK(TypeOf("null::date") == "date");
  CHECK(TypeOf("null = i") == "bool");
  CHECK(Eval("null is null") == "true");
}

TEST_CASE("Nullability follows the arguments", "[expr][unit]") {
  const auto nullable = [](StringView text) {
    BindErrors errors;
    const BoundExprPtr expr = BindExpression(text, {*TestSchema(), ""}, &errors);
    REQUIRE(expr != nullptr);
    return expr->nullable();
  };
  CHECK(nullable("i"));
  CHECK_FALSE(nullable("ni"));
  CHECK_FALSE(nullable("ni + 1"));
  CHECK(nullable("ni + i"));
  CHECK_FALSE(nullable("coalesce(i, 0)"));
  CHECK_FALSE(nullable("i is null"));
  CHECK_FALSE(nullable("i is distinct from l"));
  CHECK(nullable("case when b then ni end"));
  CHECK_FALSE(nullable("case when b then ni else 0 end"));
  CHECK(nullable("nullif(ni, 1)"));
}

TEST_CASE("Referenced columns are listed once, ascending", "[expr][unit]") {
  BindErrors errors;
  const BoundExprPtr expr =
      BindExpression("case when s like 'a%' then l + i else i end", {*TestSchema(), ""}, &errors);
  REQUIRE(expr != nullptr);
  CHECK(ReferencedColumns(*expr) == std::vector<size_t>{1, 2, 4});
}

TEST_CASE("Widen casts only upwards", "[expr][unit]") {
  BindErrors errors;
  const BindScope scope{*TestSchema(), ""};
  const BoundExprPtr expr = BindExpression("i", scope, &errors);
  CHECK(Widen(expr, types::kInt64Type)->type() == types::kInt64Type);
  CHECK(Widen(expr, types::DecimalType(12, 2)) != nullptr);
  CHECK(Widen(expr, types::DecimalType(11, 2)) == nullptr);
  CHECK(Widen(expr, types::kStringType) == nullptr);
  CHECK(Widen(BindExpression("l", scope, &errors), types::kInt32Type) == nullptr);
  CHECK(Widen(BindExpression("5", scope, &errors), types::DecimalType(3, 2)) != nullptr);
}

TEST_CASE("Aggregates have the result types of the reference", "[expr][unit]") {
  CHECK(AggregateOf("count(*)") == "int64");
  CHECK(AggregateOf("count(s)") == "int64");
  CHECK(AggregateOf("count(distinct s)") == "int64");
  CHECK(AggregateOf("sum(i)") == "int64");
  CHECK(AggregateOf("sum(l)") == "int64");
  CHECK(AggregateOf("sum(d)") == "double");
  CHECK(AggregateOf("sum(m)") == "decimal(38,2)");
  CHECK(AggregateOf("avg(i)") == "double");
  CHECK(AggregateOf("avg(m)") == "decimal(38,6)");
  CHECK(AggregateOf("avg(n)") == "decimal(38,10)");
  CHECK(AggregateOf("min(s)") == "string");
  CHECK(AggregateOf("max(ts)") == "timestamp");
  CHECK(AggregateOf("SUM(m * 2)") == "decimal(38,2)");
}

TEST_CASE("An aggregate keeps its argument, its distinct and its star", "[expr][unit]") {
  BindErrors errors;
  const auto star = Aggregate("count(*)", &errors);
  const auto distinct = Aggregate("count(distinct i + 1)", &errors);
  const auto max = Aggregate("max(distinct l)", &errors);
  REQUIRE((star && distinct && max));
  CHECK(star->argument == nullptr);
  CHECK_FALSE(star->nullable);
  CHECK(distinct->is_distinct);
  CHECK(distinct->argument->type() == types::kInt32Type);
  CHECK_FALSE(max->is_distinct);
  CHECK(max->nullable);
}

TEST_CASE("An unknown aggregate is answered with the nearest and all there are", "[expr][unit]") {
  const auto schema = TestSchema();
  BindErrors errors;
  CHECK_FALSE(BindAggregate("summ(i)", {*schema, ""}, &errors));
  REQUIRE(errors.size() == 1);
  CHECK(StringView(errors[0].code.id) == "E0209");
  CHECK(errors[0].message == "unknown aggregate 'summ'");
  CHECK(errors[0].label == "did you mean 'sum'?");
  CHECK(errors[0].help[0].find("count(*), ") == 0);
}

TEST_CASE("What is no aggregate is refused as one", "[expr][unit]") {
  CHECK(AggregateOf("i") == "E0209");
  CHECK(AggregateOf("sum(i) + 1") == "E0209");
  CHECK(AggregateOf("sum(*)") == "E0209");
  CHECK(AggregateOf("sum(i, l)") == "E0209");
  CHECK(AggregateOf("count()") == "E0209");
  CHECK(AggregateOf("lower(s)") == "E0209");
  CHECK(AggregateOf("sum(s)") == "E0204");
  CHECK(AggregateOf("sum(distinct i)") == "E0205");
  CHECK(AggregateOf("sum(i) filter (where b)") == "E0205");
  CHECK(AggregateOf("sum(sum(i))") == "E0210");
  CHECK(AggregateOf("max(regexp_extract_all(s, 'a'))") == "E0204");
  CHECK(BindErrorOf("i > max(i)").substr(0, 9) == "E0210@4+3");
}

TEST_CASE("The function list is sorted and documented", "[expr][unit]") {
  const std::vector<FunctionInfo> functions = ListFunctions();
  CHECK(functions.size() > 20);
  CHECK(std::is_sorted(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    return StringView(a.name) < StringView(b.name);
  }));
  for (const FunctionInfo& function : functions) {
    CAPTURE(function.name);
    CHECK(StringView(function.signatures).find(" -> ") != StringView::npos);
    CHECK_FALSE(StringView(function.description).empty());
  }
}

}  // namespace weir::expr
