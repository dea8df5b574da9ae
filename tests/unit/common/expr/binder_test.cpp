#include <catch2/catch.hpp>

#include "tests/unit/common/expr/expr_fixture.h"

namespace weir::expr {

TEST_CASE("An expression reads columns and constants", "[expr][unit]") {
  CHECK(Eval("1 + 2 * 3") == "7");
}

}  // namespace weir::expr
