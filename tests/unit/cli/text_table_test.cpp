// What must hold: columns are aligned by what people see, and nothing is cut.
#include "cli/text_table.h"

#include <catch2/catch.hpp>

namespace weir::cli {

TEST_CASE("TextTable aligns columns, counting code points", "[cli][unit]") {
  TextTable table({"NAME", "STATE", "N"});
  table.Add({"zähler", "RUNNING", "1"});
  table.Add({"a", "RUNNING 1/2", ""});
  CHECK(table.Render() ==
        "NAME    STATE        N\n"
        "zähler  RUNNING      1\n"
        "a       RUNNING 1/2  \n");
}

TEST_CASE("TextTable without rows is its head", "[cli][unit]") {
  CHECK(TextTable({"A", "B"}).Render() == "A  B\n");
}

}  // namespace weir::cli
