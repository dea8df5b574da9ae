// What must hold: delays grow within their bounds, failures of one incident count once, quiet time
// starts anew, and no strategy restarts beyond what it was given.
#include "jobmanager/job/restart_strategy.h"

#include <vector>

#include <catch2/catch.hpp>

namespace weir::job {
namespace {

graph::RestartOptions Exponential(absl::Duration initial, absl::Duration max, double jitter) {
  return {.kind = graph::RestartKind::kExponentialDelay,
          .initial = initial,
          .max = max,
          .multiplier = 2,
          .jitter = jitter,
          .reset_after = absl::Milliseconds(8)};
}

TEST_CASE("Exponential delays double up to the maximum", "[job][unit]") {
  ExponentialDelayStrategy strategy(Exponential(absl::Milliseconds(1), absl::Milliseconds(6), 0),
                                    /*seed=*/1);
  absl::Duration now;
  std::vector<int64_t> delays;
  for (int i = 0; i < 6; ++i) {
    strategy.OnFailure(now);
    delays.push_back(absl::ToInt64Milliseconds(strategy.Delay(now)));
    now += strategy.Delay(now) + absl::Milliseconds(1);
  }
  CHECK(delays == std::vector<int64_t>{1, 2, 4, 6, 6, 6});
}

TEST_CASE("Jitter varies a delay by at most its share and never beyond the bounds", "[job][unit]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ExponentialDelayStrategy strategy(
        Exponential(absl::Milliseconds(100), absl::Milliseconds(700), 0.25), seed);
    CAPTURE(seed);
    absl::Duration now;
    strategy.OnFailure(now);
    CHECK(strategy.Delay(now) >= absl::Milliseconds(100));
    CHECK(strategy.Delay(now) <= absl::Milliseconds(125));
    now += strategy.Delay(now) + absl::Milliseconds(1);
    strategy.OnFailure(now);
    CHECK(strategy.Delay(now) >= absl::Milliseconds(150));
    CHECK(strategy.Delay(now) <= absl::Milliseconds(250));
    for (int i = 0; i < 5; ++i) {
      now += strategy.Delay(now) + absl::Milliseconds(1);
      strategy.OnFailure(now);
      CHECK(strategy.Delay(now) <= absl::Milliseconds(700));
    }
  }
}

TEST_CASE("Failures before the next start are one attempt and wait what is left", "[job][unit]") {
  ExponentialDelayStrategy strategy(Exponential(absl::Milliseconds(10), absl::Milliseconds(60), 0),
                                    /*seed=*/1);
  strategy.OnFailure(absl::ZeroDuration());
  for (int ms = 0; ms <= 10; ++ms) {
    strategy.OnFailure(absl::Milliseconds(ms));
    CHECK(strategy.attempts() == 1);
    CHECK(strategy.Delay(absl::Milliseconds(ms)) == absl::Milliseconds(10 - ms));
  }
  strategy.OnFailure(absl::Milliseconds(11));
  CHECK(strategy.attempts() == 2);
}

TEST_CASE("A quiet time of reset_after starts the delays anew", "[job][unit]") {
  for (const auto& [quiet_ms, delay_ms] : {std::pair{7, 2}, std::pair{8, 1}}) {
    ExponentialDelayStrategy strategy(Exponential(absl::Milliseconds(1), absl::Minutes(1), 0),
                                      /*seed=*/1);
    strategy.OnFailure(absl::ZeroDuration());  // the next start is at 1 ms
    const absl::Duration again = absl::Milliseconds(1 + quiet_ms);
    strategy.OnFailure(again);
    CHECK(strategy.Delay(again) == absl::Milliseconds(delay_ms));
  }
}

TEST_CASE("An attempts limit of 13 allows 13 restarts and not a 14th", "[job][unit]") {
  graph::RestartOptions options = Exponential(absl::Milliseconds(1), absl::Milliseconds(1), 0);
  options.attempts = 13;
  options.reset_after = absl::Hours(1);
  ExponentialDelayStrategy strategy(options, /*seed=*/1);
  absl::Duration now;
  for (int i = 0; i < 13; ++i) {
    now += absl::Milliseconds(5);
    strategy.OnFailure(now);
    CHECK(strategy.CanRestart());
    CHECK(strategy.CanRestart());  // asking has no effect
  }
  now += absl::Milliseconds(5);
  strategy.OnFailure(now);
  CHECK_FALSE(strategy.CanRestart());
}

TEST_CASE("A failure rate allows failures that are far enough apart", "[job][unit]") {
  graph::RestartOptions options{.kind = graph::RestartKind::kFailureRate,
                                .delay = absl::Seconds(10),
                                .interval = absl::Milliseconds(1),
                                .attempts = 1};
  FailureRateStrategy apart(options);
  for (int i = 0; i < 10; ++i) {
    apart.OnFailure(absl::Milliseconds(2 * i));
    CHECK(apart.CanRestart());
  }
  CHECK(apart.Delay(absl::ZeroDuration()) == absl::Seconds(10));

  options.interval = absl::Seconds(10);
  options.attempts = 3;
  FailureRateStrategy close(options);
  for (int i = 0; i < 3; ++i) {
    close.OnFailure(absl::Seconds(i));
    CHECK(close.CanRestart());
  }
  close.OnFailure(absl::Seconds(3));
  CHECK_FALSE(close.CanRestart());
}

TEST_CASE("A fixed delay restarts as often as it was given, none never", "[job][unit]") {
  const graph::RestartOptions options{
      .kind = graph::RestartKind::kFixedDelay, .delay = absl::Seconds(2), .attempts = 3};
  const std::unique_ptr<RestartStrategy> fixed = MakeRestartStrategy(options, /*seed=*/1);
  for (int i = 0; i < 3; ++i) {
    fixed->OnFailure(absl::ZeroDuration());
    CHECK(fixed->CanRestart());
    CHECK(fixed->Delay(absl::ZeroDuration()) == absl::Seconds(2));
  }
  fixed->OnFailure(absl::ZeroDuration());
  CHECK_FALSE(fixed->CanRestart());

  const std::unique_ptr<RestartStrategy> none = MakeRestartStrategy({}, /*seed=*/1);
  none->OnFailure(absl::ZeroDuration());
  CHECK_FALSE(none->CanRestart());
}

TEST_CASE("The first exponential delay is the initial one", "[job][unit]") {
  ExponentialDelayStrategy strategy(Exponential(absl::Milliseconds(42), absl::Hours(1), 0),
                                    /*seed=*/1);
  strategy.OnFailure(absl::ZeroDuration());
  CHECK(strategy.Delay(absl::ZeroDuration()) == absl::Milliseconds(42));
}

TEST_CASE("Jitter is applied before the maximum", "[job][unit]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ExponentialDelayStrategy strategy(
        Exponential(absl::Milliseconds(2), absl::Milliseconds(7), 0.25), seed);
    CAPTURE(seed);
    absl::Duration now;
    std::vector<absl::Duration> delays;
    for (int i = 0; i < 6; ++i) {
      strategy.OnFailure(now);
      delays.push_back(strategy.Delay(now));
      now += strategy.Delay(now) + absl::Milliseconds(1);
    }
    CHECK(delays[1] >= absl::Milliseconds(3));
    CHECK(delays[1] <= absl::Milliseconds(5));
    CHECK(delays[2] >= absl::Milliseconds(6));
    // So long that no jitter brings them below the maximum.
    for (size_t i = 3; i < delays.size(); ++i) CHECK(delays[i] == absl::Milliseconds(7));
  }
}

TEST_CASE("Failures of one incident use up one attempt of the limit", "[job][unit]") {
  graph::RestartOptions options = Exponential(absl::Milliseconds(10), absl::Milliseconds(10), 0);
  options.attempts = 3;
  options.reset_after = absl::Hours(1);
  ExponentialDelayStrategy strategy(options, /*seed=*/1);
  absl::Duration now;
  for (int incident = 0; incident < 3; ++incident) {
    for (int i = 0; i < 10; ++i) strategy.OnFailure(now + absl::Milliseconds(i));
    CHECK(strategy.CanRestart());
    now += absl::Milliseconds(11);
  }
  strategy.OnFailure(now);
  CHECK_FALSE(strategy.CanRestart());
}

TEST_CASE("Without a limit a failure rate and a fixed delay always restart", "[job][unit]") {
  for (const graph::RestartKind kind :
       {graph::RestartKind::kFailureRate, graph::RestartKind::kFixedDelay}) {
    const auto strategy = MakeRestartStrategy({.kind = kind, .attempts = -1}, /*seed=*/1);
    for (int i = 0; i < 1000; ++i) strategy->OnFailure(absl::ZeroDuration());
    CHECK(strategy->CanRestart());
    CHECK(strategy->CanRestart());
  }
}

TEST_CASE("A failure rate without attempts never restarts", "[job][unit]") {
  FailureRateStrategy strategy({.kind = graph::RestartKind::kFailureRate, .attempts = 0});
  strategy.OnFailure(absl::ZeroDuration());
  CHECK_FALSE(strategy.CanRestart());
}

TEST_CASE("A job's own choice of restarts beats the cluster's", "[job][unit]") {
  const graph::RestartOptions fixed{
      .kind = graph::RestartKind::kFixedDelay, .delay = absl::Seconds(3), .attempts = 4};
  const graph::RestartOptions rate{.kind = graph::RestartKind::kFailureRate, .attempts = 2};
  graph::JobSettings chosen;
  chosen.restart = fixed;
  chosen.has_restart = true;
  CHECK(ChooseRestart(chosen, rate)->kind == graph::RestartKind::kFixedDelay);
  CHECK(ChooseRestart(chosen, std::nullopt)->attempts == 4);
  // What the planner derives is no choice.
  graph::JobSettings derived;
  derived.restart.kind = graph::RestartKind::kExponentialDelay;
  CHECK(ChooseRestart(derived, rate)->kind == graph::RestartKind::kFailureRate);
  CHECK(ChooseRestart(derived, std::nullopt)->kind == graph::RestartKind::kExponentialDelay);
  CHECK(ChooseRestart(graph::JobSettings{}, std::nullopt)->kind == graph::RestartKind::kNone);
}

TEST_CASE("Restart options out of their range are refused by name", "[job][unit]") {
  const auto refusal = [](graph::RestartOptions options) {
    const absl::Status status = ChooseRestart({}, options).status();
    CHECK(absl::IsInvalidArgument(status));
    return std::string(status.message());
  };
  CHECK(ValidateRestartOptions({}).ok());
  CHECK(refusal({.initial = absl::ZeroDuration()}) ==
        "restart.initial is 0; it must be longer than 0s");
  CHECK(refusal({.initial = absl::Seconds(2), .max = absl::Seconds(1)}) ==
        "restart.max is 1s; it must be at least `initial` (2s)");
  CHECK(refusal({.multiplier = 0.5}) == "restart.multiplier is 0.5; it must be at least 1");
  CHECK(refusal({.jitter = 1.5}) == "restart.jitter is 1.5; it must be 0 to 1");
  CHECK(refusal({.delay = -absl::Seconds(1)}) == "restart.delay is -1s; it must be at least 0s");
  CHECK(refusal({.interval = absl::ZeroDuration()}) ==
        "restart.interval is 0; it must be longer than 0s");
  CHECK(refusal({.attempts = -2}) ==
        "restart.attempts is -2; it must be at least 0, or -1 for no limit");
}

}  // namespace
}  // namespace weir::job
