// What must hold: a text is exactly one expression or it is refused, with the place of the trouble.
#include "common/expr/parser.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

std::string Repeat(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

// The code of the one error of a text; "" if it parses.
std::string CodeOf(const std::string& text) {
  BindErrors errors;
  const AstPtr tree = ParseExpression(text, &errors);
  REQUIRE((tree == nullptr) == !errors.empty());
  return errors.empty() ? "" : errors.front().code.id;
}

}  // namespace

TEST_CASE("The parser refuses everything but one expression", "[expr][unit]") {
  for (const char* text : {"1; select 2",
                           "1;",
                           "1, 2",
                           "1 as x",
                           "1 x",
                           "1 from t",
                           "i where true",
                           "1 union select 2",
                           "1 limit 1",
                           "1 order by 1",
                           "distinct i",
                           "all i",
                           "1 into x",
                           "*",
                           "events.*",
                           "(select 1)",
                           "exists(select 1)",
                           "i in (select 1)",
                           "$1",
                           "array[1]",
                           "s[1]",
                           "(i, l)",
                           "row(1)",
                           "s collate \"C\"",
                           "i = any(array[1])",
                           "greatest(1, 2)",
                           "current_date",
                           "sum(i) over ()",
                           "count(*) filter (where b)",
                           "lower(variadic s)",
                           "pg_temp.f(1)",
                           "s similar to 'a'",
                           "i between symmetric 1 and 2",
                           "i operator(pg_catalog.+) 1",
                           "B'101'",
                           "lower(x => s)",
                           "i::int[]",
                           "1 for update",
                           "1 group by 1",
                           "1 offset 1"}) {
    CAPTURE(text);
    CHECK(CodeOf(text) == "E0205");
  }
}

TEST_CASE("The parser reports syntax errors", "[expr][unit]") {
  for (const char* text : {"select 1", "", "  ", "1 +", "(1", "1)", "'abc", "\"abc", "/* open",
                           "i i i", "-- only", "; 1", "values (1)", "case when b end", "\xff"}) {
    CAPTURE(text);
    CHECK(CodeOf(text) == "E0201");
  }
  CHECK(CodeOf(std::string("1\0+ 2", 5)) == "E0201");
}

TEST_CASE("Comments and blanks around an expression are no part of it", "[expr][unit]") {
  CHECK(Eval("/* a /* b */ */ 1 -- c\n + 2 -- end") == "3");
  CHECK(Eval("\n\t 1 ") == "1");
}

TEST_CASE("A syntax error has its byte offset, behind other characters, too", "[expr][unit]") {
  CHECK(BindErrorOf("1 + )") == "E0201@4+1 syntax error at or near \")\"");
  CHECK(BindErrorOf("'äöü' || )") == "E0201@12+1 syntax error at or near \")\"");
  CHECK(BindErrorOf("i +") == "E0201@3+0 syntax error at end of input");
  CHECK(BindErrorOf("1; select 2").substr(0, 9) == "E0205@0+1");
}

TEST_CASE("Deep nesting is an error, not a crash", "[expr][unit]") {
  CHECK(CodeOf(Repeat("(", 10000) + "1" + Repeat(")", 10000)) == "E0207");
  CHECK(CodeOf(Repeat("not ", 15000) + "b") == "E0207");
  CHECK(CodeOf("1" + Repeat("+1", 30000)) == "E0207");
  CHECK(CodeOf(Repeat("- ", 9000) + "i") == "E0207");
  CHECK(CodeOf("i" + Repeat("::int", 12000)) == "E0207");
  CHECK(CodeOf(Repeat("lower(", 3000) + "s" + Repeat(")", 3000)) == "E0207");
  CHECK(CodeOf(Repeat("case when b then ", 2000) + "1" + Repeat(" end", 2000)) == "E0207");
}

TEST_CASE("The depth limit is exact", "[expr][unit]") {
  const auto nested = [](int depth) {
    return Repeat("1+(", depth - 1) + "1" + Repeat(")", depth - 1);
  };
  CHECK(CodeOf(nested(kExpressionDepthMax)) == "");
  CHECK(CodeOf(nested(kExpressionDepthMax + 1)) == "E0207");
  CHECK(Eval(nested(kExpressionDepthMax)) == "200");
  // A list of conditions is one level.
  CHECK(CodeOf("b" + Repeat(" and b", 5000)) == "");
}

TEST_CASE("A chain of operators is one level, and its limit is exact", "[expr][unit]") {
  const int longest = static_cast<int>(kExpressionChainMax);
  CHECK(Eval("1" + Repeat("+1", longest)) == "2001");
  CHECK(BindErrorOf("1" + Repeat("+1", longest + 1)) ==
        "E0207@1+2 more than 2000 operators follow each other");
  CHECK(Eval("- 1" + Repeat(" + 1 - (1 + 1) * 1", longest / 2 - 1) + " = -1000") == "true");
  CHECK(Eval("length(''" + Repeat(" || 'ab'", longest) + ")") == "4000");
  // Each operand of a chain may be nested as deeply as the rest of the limit allows.
  const std::string right =
      Repeat("1+(", kExpressionDepthMax - 2) + "1" + Repeat(")", kExpressionDepthMax - 2);
  CHECK(Eval("1" + Repeat("+1", longest - 1) + "+(" + right + ")") == "2199");
}

TEST_CASE("The text limit is exact", "[expr][unit]") {
  const std::string longest = "'" + std::string(kExpressionBytesMax - 2, 'x') + "'";
  CHECK(CodeOf(longest) == "");
  CHECK(CodeOf(longest + " ") == "E0207");
}

TEST_CASE("Signs of integer constants are kept", "[expr][unit]") {
  CHECK(Eval("-5") == "-5");
  CHECK(Eval("- 5") == "-5");
  CHECK(Eval("-(5)") == "-5");
  CHECK(Eval("- /* 7 */ 5") == "-5");
  CHECK(Eval("- -- 7\n5") == "-5");
  CHECK(Eval("- - 5") == "5");
  CHECK(Eval("0") == "0");
  CHECK(Eval("1 - -5") == "6");
  CHECK(Eval("- - 0") == "0");
  CHECK(TypeOf("-2147483648") == "int32");
  CHECK(Eval("-2147483648") == "-2147483648");
}

}  // namespace weir::expr
