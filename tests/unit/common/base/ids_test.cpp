// What must hold: an id and its text are the same thing, and nothing else parses.
#include "common/base/ids.h"

#include <set>

#include <catch2/catch.hpp>

#include "common/base/id_source.h"

namespace weir::base {
namespace {

TEST_CASE("An id survives its text", "[base][unit]") {
  const JobId id{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
  CHECK(id.ToString() == "0123456789abcdeffedcba9876543210");
  CHECK(id.ToShortString() == "01234567");
  JobId parsed;
  REQUIRE(ParseHex128(id.ToString(), &parsed.high, &parsed.low));
  CHECK(parsed == id);
}

TEST_CASE("Nothing but 32 hexadecimal digits parses as an id", "[base][unit]") {
  uint64_t high = 0;
  uint64_t low = 0;
  for (const char* text :
       {"", "0123", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
        "g123456789abcdeffedcba9876543210", " 123456789abcdeffedcba9876543210"}) {
    CHECK_FALSE(ParseHex128(text, &high, &low));
  }
}

TEST_CASE("A seeded source repeats its ids and never gives one twice or nil", "[base][unit]") {
  IdSource one(7);
  IdSource same(7);
  std::set<JobId> seen;
  for (int i = 0; i < 1000; ++i) {
    const JobId id = one.Make<JobId>();
    CHECK(id == same.Make<JobId>());
    CHECK_FALSE(id.IsNil());
    CHECK(seen.insert(id).second);
  }
}

}  // namespace
}  // namespace weir::base
