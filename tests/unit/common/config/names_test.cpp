// What must hold: a typo finds the name that was meant, and nothing else is suggested.
#include "common/config/names.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace weir::config {

TEST_CASE("EditDistance counts edits and stops at the limit", "[config][unit]") {
  CHECK(EditDistance("", "", 2) == 0);
  CHECK(EditDistance("price", "pric", 2) == 1);
  CHECK(EditDistance("price", "pirce", 2) == 1);
  CHECK(EditDistance("price", "prise", 2) == 1);
  CHECK(EditDistance("ab", "", 2) == 2);
  CHECK(EditDistance("kitten", "sitting", 3) == 3);
  CHECK(EditDistance("kitten", "sitting", 2) == 3);
  CHECK(EditDistance("a", std::string(1000, 'a'), 2) == 3);
}

TEST_CASE("NearestName prefers the smallest distance", "[config][unit]") {
  const std::vector<std::string> names = {"interval", "internal", "timeout", "min_pause"};
  CHECK(NearestName("intervl", names) == "interval");
  CHECK(NearestName("interna", names) == "internal");
  CHECK(NearestName("min-pause", names) == "min_pause");
  CHECK(NearestName("TimeOut", names) == "timeout");
}

TEST_CASE("NearestName falls back to a common prefix", "[config][unit]") {
  const std::vector<std::string> names = {"checkpointing", "idle_timeout", "parallelism"};
  CHECK(NearestName("checkpoint", names) == "checkpointing");
  CHECK(NearestName("idle", names) == "idle_timeout");
  CHECK(NearestName("parallel", names) == "parallelism");
}

TEST_CASE("NearestName suggests nothing that is far", "[config][unit]") {
  const std::vector<std::string> names = {"id", "uid", "time_zone"};
  CHECK(NearestName("xy", names).empty());
  CHECK(NearestName("frequency", names).empty());
  CHECK(NearestName("", names).empty());
  CHECK(DidYouMean("frequency", names).empty());
  CHECK(DidYouMean("uidd", names) == "did you mean 'uid'?");
}

TEST_CASE("A word of another system leads to ours", "[config][unit]") {
  constexpr ForeignName kNames[] = {{"long", "int64"}, {"float", "double"}};
  CHECK(DidYouMeanOurs("float", kNames) == "did you mean 'double'?");
  CHECK(DidYouMeanOurs("flaot", kNames).empty());
}

TEST_CASE("JoinNames says how many it leaves out", "[config][unit]") {
  CHECK(JoinNames({"a", "b", "c"}, 3) == "a, b, c");
  CHECK(JoinNames({"a", "b", "c"}, 2) == "a, b and 1 more");
  CHECK(JoinNames({}, 2).empty());
}

}  // namespace weir::config
