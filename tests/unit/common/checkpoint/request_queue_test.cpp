#include "common/checkpoint/request_queue.h"

#include <vector>

#include <catch2/catch.hpp>

namespace weir::checkpoint {
namespace {

TriggerRequest Made(uint64_t token, RequestOrigin origin, CheckpointKind kind) {
  TriggerRequest request;
  request.token = RequestToken{token};
  request.origin = origin;
  request.kind = kind;
  return request;
}
TriggerRequest UserCheckpoint(uint64_t token) {
  return Made(token, RequestOrigin::kUser, CheckpointKind::kCheckpoint);
}
TriggerRequest Savepoint(uint64_t token) {
  return Made(token, RequestOrigin::kUser, CheckpointKind::kSavepoint);
}
TriggerRequest Periodic(uint64_t token) {
  return Made(token, RequestOrigin::kPeriodic, CheckpointKind::kCheckpoint);
}

TEST_CASE("RequestQueue orders by kind, then origin, then age", "[checkpoint][unit]") {
  RequestQueue queue;
  for (const TriggerRequest& request :
       {Periodic(1), UserCheckpoint(2), Savepoint(3), UserCheckpoint(4), Savepoint(5)}) {
    CHECK_FALSE(queue.Push(request).has_value());
  }
  std::vector<uint64_t> order;
  while (!queue.empty()) order.push_back(static_cast<uint64_t>(queue.Pop().token));
  CHECK(order == std::vector<uint64_t>{3, 5, 2, 4, 1});
}

TEST_CASE("A full RequestQueue drops the last in order", "[checkpoint][unit]") {
  RequestQueue queue(1);
  CHECK_FALSE(queue.Push(UserCheckpoint(1)).has_value());
  CHECK(queue.Push(Savepoint(2))->token == RequestToken{1});
  CHECK(queue.Push(UserCheckpoint(3))->token == RequestToken{3});
  CHECK(queue.Front()->token == RequestToken{2});
}

TEST_CASE("RequestQueue takes its limit and not one more", "[checkpoint][unit]") {
  RequestQueue queue;
  for (uint64_t i = 1; i <= kRequestsQueuedMax; ++i) {
    REQUIRE_FALSE(queue.Push(UserCheckpoint(i)).has_value());
  }
  CHECK(queue.Push(UserCheckpoint(5000))->token == RequestToken{5000});
}

TEST_CASE("RequestQueue gives up its periodic request alone", "[checkpoint][unit]") {
  RequestQueue queue;
  REQUIRE_FALSE(queue.Push(Periodic(1)).has_value());
  REQUIRE_FALSE(queue.Push(UserCheckpoint(2)).has_value());
  CHECK(queue.HasPeriodic());
  queue.RemovePeriodic();
  CHECK_FALSE(queue.HasPeriodic());
  CHECK(queue.size() == 1);
}

}  // namespace
}  // namespace weir::checkpoint
