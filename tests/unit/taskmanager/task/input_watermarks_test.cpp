// What must hold: the combined watermark is the least of the channels that count, never goes back,
// and neither an idle nor an ended channel holds it.
#include "taskmanager/task/input_watermarks.h"

#include <catch2/catch.hpp>

namespace weir::task {
namespace {

TEST_CASE("The slowest channel holds the watermark", "[task][unit]") {
  InputWatermarks inputs(2);
  CHECK_FALSE(inputs.OnWatermark(0, 10).has_value());
  CHECK(inputs.OnWatermark(1, 5) == 5);
  CHECK(inputs.OnWatermark(1, 20) == 10);
  CHECK_FALSE(inputs.OnWatermark(1, 30).has_value());
  CHECK(inputs.current() == 10);
}

TEST_CASE("A watermark that goes back changes nothing", "[task][unit]") {
  InputWatermarks inputs(1);
  CHECK(inputs.OnWatermark(0, 10) == 10);
  CHECK_FALSE(inputs.OnWatermark(0, 5).has_value());
  CHECK_FALSE(inputs.OnWatermark(0, 10).has_value());
  CHECK(inputs.OnWatermark(0, 11) == 11);
}

TEST_CASE("An idle channel does not hold the watermark until it is active again", "[task][unit]") {
  InputWatermarks inputs(2);
  inputs.OnWatermark(0, 10);
  CHECK(inputs.OnIdleness(1, true) == 10);
  CHECK(inputs.OnWatermark(0, 20) == 20);
  CHECK_FALSE(inputs.OnIdleness(1, false).has_value());
  CHECK_FALSE(inputs.OnWatermark(1, 15).has_value());  // behind what has been said: kept back
  CHECK_FALSE(inputs.OnWatermark(0, 40).has_value());
  CHECK(inputs.OnWatermark(1, 30) == 30);
}

TEST_CASE("When all channels are idle the greatest watermark counts", "[task][unit]") {
  InputWatermarks inputs(2);
  inputs.OnWatermark(0, 10);
  inputs.OnWatermark(1, 50);
  CHECK_FALSE(inputs.IsIdle());
  inputs.OnIdleness(0, true);
  CHECK(inputs.OnIdleness(1, true) == std::nullopt);
  CHECK(inputs.IsIdle());
  CHECK(inputs.current() == 50);
}

TEST_CASE("Ended channels do not count and the end of all is the maximum", "[task][unit]") {
  InputWatermarks inputs(3);
  inputs.OnWatermark(0, 10);
  inputs.OnWatermark(1, 20);
  CHECK(inputs.OnEnd(2) == 10);
  CHECK(inputs.OnEnd(0) == 20);
  CHECK_FALSE(inputs.HasEnded());
  CHECK_FALSE(inputs.OnEnd(0).has_value());
  CHECK(inputs.OnEnd(1) == kEventTimeMax);
  CHECK(inputs.HasEnded());
  CHECK_FALSE(inputs.IsIdle());
}

TEST_CASE("An idle channel that ends leaves the others to decide", "[task][unit]") {
  InputWatermarks inputs(2);
  inputs.OnIdleness(0, true);
  inputs.OnWatermark(1, 7);
  CHECK_FALSE(inputs.OnEnd(0).has_value());
  CHECK_FALSE(inputs.IsIdle());
  CHECK(inputs.OnWatermark(1, 9) == 9);
}

}  // namespace
}  // namespace weir::task
