// What must hold: truth is three-valued, and comparisons order as PostgreSQL does.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {
namespace {

// A bool constant that is not folded away: it hides behind the column `i`, which is 1.
std::string Hidden(const std::string& truth) {
  if (truth == "NULL") return "nullif(i = 1, true)";
  return truth == "true" ? "(i = 1)" : "(i = 2)";
}

std::string EvalOne(const std::string& text) {
  return EvalRows(text, MakeBatch({"|1|||||||||"})).front();
}

}  // namespace

TEST_CASE("AND and OR follow the tables of three-valued logic", "[expr][unit]") {
  const std::vector<std::string> truths = {"true", "false", "NULL"};
  const char* const conjunction[3][3] = {
      {"true", "false", "NULL"}, {"false", "false", "false"}, {"NULL", "false", "NULL"}};
  const char* const disjunction[3][3] = {
      {"true", "true", "true"}, {"true", "false", "NULL"}, {"true", "NULL", "NULL"}};
  for (size_t a = 0; a < 3; ++a) {
    for (size_t b = 0; b < 3; ++b) {
      CAPTURE(truths[a], truths[b]);
      CHECK(EvalOne(Hidden(truths[a]) + " and " + Hidden(truths[b])) == conjunction[a][b]);
      CHECK(EvalOne(Hidden(truths[a]) + " or " + Hidden(truths[b])) == disjunction[a][b]);
      CHECK(Eval(truths[a] + " and " + truths[b]) == conjunction[a][b]);
      CHECK(Eval(truths[a] + " or " + truths[b]) == disjunction[a][b]);
    }
  }
}

TEST_CASE("NOT and the IS tests follow their tables", "[expr][unit]") {
  struct Line {
    const char* truth;
    const char* negation;
    const char* is_true;
    const char* is_false;
    const char* is_unknown;
  };
  for (const Line& line : {Line{"true", "false", "true", "false", "false"},
                           Line{"false", "true", "false", "true", "false"},
                           Line{"NULL", "NULL", "false", "false", "true"}}) {
    const std::string value = Hidden(line.truth);
    CAPTURE(line.truth);
    const auto opposite = [](StringView truth) { return truth == "true" ? "false" : "true"; };
    CHECK(EvalOne("not " + value) == line.negation);
    CHECK(EvalOne(value + " is true") == line.is_true);
    CHECK(EvalOne(value + " is not true") == opposite(line.is_true));
    CHECK(EvalOne(value + " is false") == line.is_false);
    CHECK(EvalOne(value + " is not false") == opposite(line.is_false));
    CHECK(EvalOne(value + " is unknown") == line.is_unknown);
    CHECK(EvalOne(value + " is null") == line.is_unknown);
    CHECK(EvalOne(value + " is not null") == opposite(line.is_unknown));
  }
}

TEST_CASE("IN and NOT IN treat NULL as SQL does", "[expr][unit]") {
  CHECK(Eval("1 in (1, 2)") == "true");
  CHECK(Eval("3 in (1, 2)") == "false");
  CHECK(Eval("3 in (1, null)") == "NULL");
  CHECK(Eval("1 in (1, null)") == "true");
  CHECK(Eval("1 not in (1, null)") == "false");
  CHECK(Eval("3 not in (1, null)") == "NULL");
  CHECK(Eval("null in (1, 2)") == "NULL");
  const auto batch = MakeBatch({"|1|||a||||||", "|3|||b||||||", "||||||||||"});
  CHECK(EvalRows("i in (3, 1.0)", batch) == std::vector<std::string>{"true", "true", "NULL"});
  CHECK(EvalRows("s in ('b', null)", batch) == std::vector<std::string>{"NULL", "true", "NULL"});
  // A list with columns.
  CHECK(EvalRows("i in (2, i)", batch) == std::vector<std::string>{"true", "true", "NULL"});
  CHECK(EvalRows("i not in (3, l)", batch) == std::vector<std::string>{"NULL", "false", "NULL"});
}

TEST_CASE("IS DISTINCT FROM never gives NULL", "[expr][unit]") {
  CHECK(Eval("1 is distinct from 2") == "true");
  CHECK(Eval("1 is distinct from null") == "true");
  CHECK(Eval("null::int is distinct from null::int") == "false");
  CHECK(Eval("null::int is not distinct from null::int") == "true");
  CHECK(Eval("1.50 is not distinct from 1.5") == "true");
}

TEST_CASE("BETWEEN is two comparisons", "[expr][unit]") {
  CHECK(Eval("5 between 1 and 10") == "true");
  CHECK(Eval("5 between 10 and 1") == "false");
  CHECK(Eval("5 not between 6 and 10") == "true");
  CHECK(Eval("5 between 6 and null") == "false");
  CHECK(Eval("5 between 1 and null") == "NULL");
}

TEST_CASE("NaN equals itself and is the greatest double", "[expr][unit]") {
  CHECK(Eval("'nan'::double = 'nan'::double") == "true");
  CHECK(Eval("'nan'::double > 'inf'::double") == "true");
  CHECK(Eval("'nan'::double < 1") == "false");
  CHECK(Eval("1 < 'nan'::double") == "true");
  CHECK(Eval("'nan'::double <= 'nan'::double") == "true");
  CHECK(Eval("'nan'::double in (1, 'nan'::double)") == "true");
  CHECK(Eval("0.0::double = -0.0::double") == "true");
}

TEST_CASE("Strings compare by bytes", "[expr][unit]") {
  CHECK(Eval("'B' < 'a'") == "true");
  CHECK(Eval("'z' < 'é'") == "true");
  CHECK(Eval("'' < 'a'") == "true");
  CHECK(Eval("'a' < 'ab'") == "true");
  CHECK(Eval("true > false") == "true");
}

TEST_CASE("Decimals of any scales compare exactly", "[expr][unit]") {
  CHECK(Eval("1.10 = 1.1") == "true");
  CHECK(Eval("99999999999999999999999999999999999999 > 0.00000000000000000001") == "true");
  CHECK(Eval("0.00000000000000000001 < 99999999999999999999999999999999999999") == "true");
  CHECK(Eval("-99999999999999999999999999999999999999 < 0.00000000000000000001") == "true");
  CHECK(Eval("1 < 1.0000000001") == "true");
}

}  // namespace weir::expr
