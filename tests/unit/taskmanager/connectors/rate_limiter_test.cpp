#include "taskmanager/connectors/rate_limiter.h"

#include <catch2/catch.hpp>

namespace weir::connectors {

TEST_CASE("RateLimiter lets the rate through, in groups of ten milliseconds",
          "[connectors][unit]") {
  RateLimiter limiter(2000, absl::Seconds(5));
  CHECK(limiter.Available(absl::Seconds(5)) == 0);
  int64_t rows = 0;
  absl::Duration now = absl::Seconds(5);
  while (now < absl::Seconds(15)) {
    now = limiter.NextAt();
    const int64_t available = limiter.Available(now);
    REQUIRE(available >= 20);
    REQUIRE(available <= 21);
    limiter.Take(available);
    rows += available;
  }
  CHECK(rows >= 19990);
  CHECK(rows <= 20040);
}

TEST_CASE("RateLimiter never makes one wait in vain", "[connectors][unit]") {
  for (const double rate : {0.1, 1.0, 3.0, 7.77, 99.9, 1e6, 1e9}) {
    CAPTURE(rate);
    RateLimiter limiter(rate, absl::ZeroDuration());
    for (int i = 0; i < 100; ++i) {
      const int64_t available = limiter.Available(limiter.NextAt());
      REQUIRE(available > 0);
      limiter.Take(available);
    }
  }
}

TEST_CASE("RateLimiter saves up a tenth of a second at most", "[connectors][unit]") {
  RateLimiter limiter(1000, absl::ZeroDuration());
  CHECK(limiter.Available(absl::Seconds(60)) == 100);
}

TEST_CASE("RateLimiter keeps what was not taken", "[connectors][unit]") {
  RateLimiter limiter(1000, absl::ZeroDuration());
  REQUIRE(limiter.Available(absl::Milliseconds(50)) == 50);
  limiter.Take(10);
  CHECK(limiter.Available(absl::Milliseconds(50)) == 40);
}

}  // namespace weir::connectors
