// What must hold: the hash that decides key groups and guards stored bytes is XXH3_64 with seed 0,
// for ever. The values were printed by XXH3_64bits() of Debian's libxxhash 0.8.1, called by itself,
// so they catch a change of seed, function or library, not an error of that library.
#include "common/io/hash.h"

#include <catch2/catch.hpp>

namespace weir::io {
namespace {

TEST_CASE("XXH3 keeps its golden values", "[io][unit]") {
  CHECK(Xxh3("") == 0x2d06800538d394c2ULL);
  CHECK(Xxh3("a") == 0xe6c632b61e964e1fULL);
  CHECK(Xxh3("hello") == 0x9555e8555c62dcfdULL);
  CHECK(Xxh3("weir") == 0x09831dc741817118ULL);
}

}  // namespace
}  // namespace weir::io
