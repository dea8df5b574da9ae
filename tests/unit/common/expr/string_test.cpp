// What must hold: string functions count characters and give PostgreSQL's results.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {

TEST_CASE("Case changes touch ASCII letters only", "[expr][unit]") {
  CHECK(Eval("lower('HÉLLO')") == "hÉllo");
  CHECK(Eval("upper('héllo')") == "HéLLO");
  CHECK(Eval("length('héllo')") == "5");
  CHECK(Eval("length('')") == "0");
}

TEST_CASE("Trims take away characters, not substrings", "[expr][unit]") {
  CHECK(Eval("trim('  x ')") == "x");
  CHECK(Eval("trim(leading from '  x ')") == "x ");
  CHECK(Eval("trim(trailing 'xy' from 'abxyx')") == "ab");
  CHECK(Eval("btrim('xyaxy', 'yx')") == "a");
  CHECK(Eval("ltrim('ééa', 'é')") == "a");
  CHECK(Eval("rtrim('aéé', 'é')") == "a");
  CHECK(Eval("rtrim('aéè', 'è')") == "aé");
  CHECK(Eval("trim('xxx', 'x')") == "");
  CHECK(Eval("trim('abc', '')") == "abc");
  // Characters that change from row to row.
  const auto batch = MakeBatch({"||||a||||||", "||||b||||||", "||||||||||"});
  CHECK(EvalRows("btrim('aba', s)", batch) == std::vector<std::string>{"b", "aba", "NULL"});
}

TEST_CASE("Substrings start before the text, end behind it, and count characters", "[expr][unit]") {
  CHECK(Eval("substr('abcdef', 3)") == "cdef");
  CHECK(Eval("substr('abcdef', 3, 2)") == "cd");
  CHECK(Eval("substr('abcdef', -1, 3)") == "a");
  CHECK(Eval("substr('abcdef', 0)") == "abcdef");
  CHECK(Eval("substr('abcdef', 5, 100)") == "ef");
  CHECK(Eval("substr('abcdef', 9)") == "");
  CHECK(Eval("substr('abcdef', 2147483647, 2147483647)") == "");
  CHECK(Eval("substr('abcdef', 1, -1)") == "error: negative substring length");
  CHECK(Eval("substring('日本語' from 2 for 1)") == "本");
  CHECK(Eval("substring('abc' for 2)") == "ab");
}

TEST_CASE("split_part counts from both ends", "[expr][unit]") {
  CHECK(Eval("split_part('a,b,c', ',', 2)") == "b");
  CHECK(Eval("split_part('a,b,c', ',', -1)") == "c");
  CHECK(Eval("split_part('a,b,c', ',', 4)") == "");
  CHECK(Eval("split_part('a,b,c', ',', -4)") == "");
  CHECK(Eval("split_part('abc', ',', 1)") == "abc");
  CHECK(Eval("split_part('abc', '', 1)") == "abc");
  CHECK(Eval("split_part('abc', ',', 0)") == "error: field position 0 of split_part");
}

TEST_CASE("replace and || make new strings", "[expr][unit]") {
  CHECK(Eval("replace('aXbX', 'X', 'yy')") == "ayybyy");
  CHECK(Eval("replace('aaa', 'aa', 'b')") == "ba");
  CHECK(Eval("replace('abc', '', 'x')") == "abc");
  CHECK(Eval("'a' || 'b' || ''") == "ab");
  CHECK(Eval("'a' || null") == "NULL");
}

TEST_CASE("A string longer than a row may be is an error of its row", "[expr][unit]") {
  const std::string row = "||||" + std::string(9u << 20, 'x') + "||||||";
  const auto batch = MakeBatch({row, "||||y||||||"});
  CHECK(EvalRows("length(s || s)", batch) ==
        std::vector<std::string>{"error: string longer than 16 MiB", "2"});
  CHECK(EvalRows("length(replace(s, 'x', 'xx'))", batch)[0] == "error: string longer than 16 MiB");
}

TEST_CASE("LIKE matches whole strings by characters", "[expr][unit]") {
  CHECK(Eval("'abc' like 'a%'") == "true");
  CHECK(Eval("'abc' like '%c'") == "true");
  CHECK(Eval("'abc' like '%b%'") == "true");
  CHECK(Eval("'abc' like 'abc'") == "true");
  CHECK(Eval("'abc' like 'ab'") == "false");
  CHECK(Eval("'abc' like 'a_c'") == "true");
  CHECK(Eval("'aéc' like 'a_c'") == "true");
  CHECK(Eval("'' like '%'") == "true");
  CHECK(Eval("'' like '_'") == "false");
  CHECK(Eval("'a%c' like 'a\\%c'") == "true");
  CHECK(Eval("'abc' like 'a\\%c'") == "false");
  CHECK(Eval("'a_c' like 'a!_c' escape '!'") == "true");
  CHECK(Eval("'a\\c' like 'a\\c' escape ''") == "true");
  CHECK(Eval("'mississippi' like '%iss%ip%'") == "true");
  CHECK(Eval("'aaab' like '%aab'") == "true");
  CHECK(Eval("'aaab' like '%a_b%'") == "true");
  CHECK(Eval("'ABC' ilike 'a_c'") == "true");
  CHECK(Eval("'ABC' not ilike 'b%'") == "true");
  CHECK(Eval("null like 'a'") == "NULL");
}

TEST_CASE("LIKE takes its pattern from a column", "[expr][unit]") {
  const auto batch = MakeBatch({"||||a%||||||", "||||%c||||||", "||||||||||", "||||x\\||||||"});
  CHECK(EvalRows("'abd' like s", batch) ==
        std::vector<std::string>{"true", "false", "NULL",
                                 "error: LIKE pattern ends with its escape"});
}

TEST_CASE("regexp_extract_all gives matches or their first groups", "[expr][unit]") {
  CHECK(Eval("regexp_extract_all('to be or not', '[a-z]+')") == "[to,be,or,not]");
  CHECK(Eval("regexp_extract_all('a=1,b=2', '([a-z])=([0-9])')") == "[a,b]");
  CHECK(Eval("regexp_extract_all('xay', 'a|(b)')") == "[NULL]");
  CHECK(Eval("regexp_extract_all('abc', '[0-9]')") == "[]");
  CHECK(Eval("regexp_extract_all('éa', '')") == "[,,]");
  CHECK(Eval("regexp_extract_all(s, 'a')") == "NULL");
  CHECK(TypeOf("regexp_extract_all(s, 'a')") == "array<string>");
  const auto batch = MakeBatch({"||||the cat||||||", "||||''||||||", "||||||||||"});
  CHECK(EvalRows("regexp_extract_all(lower(s), '[a-z]+')", batch) ==
        std::vector<std::string>{"[the,cat]", "[]", "NULL"});
  CHECK(EvalRows("coalesce(regexp_extract_all(s, 't.'), regexp_extract_all('no', '.'))", batch) ==
        std::vector<std::string>{"[th]", "[]", "[n,o]"});
}

}  // namespace weir::expr
