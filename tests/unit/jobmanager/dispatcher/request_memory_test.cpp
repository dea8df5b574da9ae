// What must hold: a request id keeps its first job, and only so many are kept.
#include "jobmanager/dispatcher/request_memory.h"

#include <catch2/catch.hpp>

namespace weir::dispatcher {
namespace {

TEST_CASE("A request id keeps its first job", "[dispatcher][unit]") {
  RequestMemory memory;
  memory.Remember("a", JobId{1, 1});
  memory.Remember("a", JobId{2, 2});
  memory.Remember("", JobId{3, 3});
  CHECK(memory.Find("a") == JobId{1, 1});
  CHECK_FALSE(memory.Find("b").has_value());
  CHECK_FALSE(memory.Find("").has_value());
}

TEST_CASE("The oldest request id is forgotten at the limit", "[dispatcher][unit]") {
  RequestMemory memory(/*size_max=*/2);
  memory.Remember("a", JobId{1, 1});
  memory.Remember("b", JobId{2, 2});
  CHECK(memory.Find("a").has_value());
  memory.Remember("c", JobId{3, 3});
  CHECK_FALSE(memory.Find("a").has_value());
  CHECK(memory.Find("b").has_value());
  CHECK(memory.Find("c").has_value());
}

}  // namespace
}  // namespace weir::dispatcher
