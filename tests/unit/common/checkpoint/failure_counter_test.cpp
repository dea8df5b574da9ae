#include "common/checkpoint/failure_counter.h"

#include <catch2/catch.hpp>

namespace weir::checkpoint {
namespace {

TEST_CASE("FailureCounter exceeds after one failure more than is tolerable", "[checkpoint][unit]") {
  FailureCounter counter(2);
  CHECK(counter.OnFailure(CheckpointId{1}, FailureReason::kDeclined) == FailureVerdict::kTolerated);
  CHECK(counter.OnFailure(CheckpointId{2}, FailureReason::kDeclined) == FailureVerdict::kTolerated);
  CHECK(counter.OnFailure(CheckpointId{3}, FailureReason::kJobRestarting) ==
        FailureVerdict::kTolerated);
  CHECK(counter.OnFailure(CheckpointId{4}, FailureReason::kAsyncFailure) ==
        FailureVerdict::kExceeded);
}

TEST_CASE("FailureCounter counts an id once and ignores those a success has passed",
          "[checkpoint][unit]") {
  FailureCounter counter(1);
  counter.OnFailure(CheckpointId{1}, FailureReason::kDeclined);
  counter.OnFailure(CheckpointId{1}, FailureReason::kAsyncFailure);
  CHECK(counter.count() == 1);
  counter.OnSuccess(CheckpointId{5});
  counter.OnFailure(CheckpointId{4}, FailureReason::kDeclined);
  CHECK(counter.count() == 0);
  counter.OnFailure(CheckpointId{6}, FailureReason::kDeclined);
  counter.OnSuccess(CheckpointId{3});
  CHECK(counter.count() == 1);
}

TEST_CASE("FailureCounter counts what has no id each time", "[checkpoint][unit]") {
  FailureCounter counter(1);
  counter.OnFailure(kNoCheckpoint, FailureReason::kIoError);
  CHECK(counter.OnFailure(kNoCheckpoint, FailureReason::kIoError) == FailureVerdict::kExceeded);
}

TEST_CASE("Exactly I/O, decline, asynchronous failure and finalisation count",
          "[checkpoint][unit]") {
  int counted = 0;
  for (int i = 0; i < 64; ++i) {
    if (IsCounted(static_cast<FailureReason>(i))) ++counted;
  }
  CHECK(counted == 5);
  CHECK(IsCounted(FailureReason::kIoError));
  CHECK(IsCounted(FailureReason::kDeclined));
  CHECK(IsCounted(FailureReason::kAlignmentLimitExceeded));
  CHECK(IsCounted(FailureReason::kAsyncFailure));
  CHECK(IsCounted(FailureReason::kFinalizeFailure));
  CHECK_FALSE(IsCounted(FailureReason::kExpired));
}

}  // namespace
}  // namespace weir::checkpoint
