// Forms with a syntax of their own, and the aggregates: listed here, bound elsewhere.
#include "common/expr/function_defs.h"

namespace weir::expr {

std::vector<FunctionDef> SyntaxForms() {
  return {
      {{"case", "conditional",
        "case when condition then x [...] [else y] end -> type of x and y\n"
        "case value when x then y [...] [else z] end -> type of y and z",
        "The result of the first branch that applies; the others are not computed"},
       {}},
      {{"cast", "cast", "cast(x as type) -> type\nx::type -> type", "The value as another type"},
       {}},
      {{"coalesce", "conditional", "coalesce(x, y, ...) -> type of x and y",
        "The first argument that is not NULL; the ones behind it are not computed"},
       {}},
      {{"nullif", "conditional", "nullif(x, y) -> type of x and y", "NULL where x = y, else x"},
       {}},
      {{"trim", "string",
        "trim([both | leading | trailing] [characters] from string) -> string\n"
        "trim(string) -> string",
        "Without blanks, or any of the characters, at the ends"},
       {}},
  };
}

std::vector<FunctionDef> Aggregates() {
  return {
      {{"count", "aggregate", "count(*) -> int64\ncount(x) -> int64\ncount(distinct x) -> int64",
        "Number of rows, of values that are not NULL, of different values"},
       {}},
      {{"sum", "aggregate",
        "sum(int32 or int64) -> int64\nsum(decimal(p,s)) -> decimal(38,s)\nsum(double) -> double",
        "Sum of the values that are not NULL"},
       {}},
      {{"avg", "aggregate",
        "avg(int32, int64 or double) -> double\navg(decimal(p,s)) -> decimal(38, max(s,6))",
        "Average of the values that are not NULL"},
       {}},
      {{"min", "aggregate", "min(x) -> type of x", "Least value that is not NULL"}, {}},
      {{"max", "aggregate", "max(x) -> type of x", "Greatest value that is not NULL"}, {}},
  };
}

}  // namespace weir::expr
