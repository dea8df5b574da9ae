// What must hold: the committed reference page says what the option tables say.
#include "common/graph/reference.h"

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "tests/unit/common/graph/golden.h"

namespace weir::graph {

TEST_CASE("docs/descriptor.md is what the option tables make", "[graph][unit]") {
  CheckGolden(absl::StrCat(WEIR_SOURCE_ROOT, "/docs/descriptor.md"), RenderReference());
}

}  // namespace weir::graph
