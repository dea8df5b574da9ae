// What must hold: settings have the documented defaults, and what follows from one follows always.
#include <catch2/catch.hpp>

#include "common/graph/settings_options.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

JobSettings SettingsOf(const std::string& settings) {
  return MustPlan(BidJob("", "bids", settings))->settings;
}

}  // namespace

TEST_CASE("A job that says nothing takes no checkpoints and does not restart", "[graph][unit]") {
  const JobSettings settings = SettingsOf("{}");
  CHECK(settings.parallelism == 1);
  CHECK(settings.max_parallelism == 128);
  CHECK_FALSE(settings.checkpointing.interval.has_value());
  CHECK(settings.checkpointing.timeout == absl::Minutes(10));
  CHECK(settings.checkpointing.retained == 3);
  CHECK(settings.checkpointing.tolerable_failures == 3);
  CHECK(settings.checkpointing.on_cancel == OnCancel::kRetain);
  CHECK(settings.restart.kind == RestartKind::kNone);
  CHECK(settings.buffer_timeout == absl::Milliseconds(5));
}

TEST_CASE("A job that takes checkpoints restarts without limit", "[graph][unit]") {
  const JobSettings settings = SettingsOf("{checkpointing: {interval: 10s}}");
  CHECK(settings.restart.kind == RestartKind::kExponentialDelay);
  CHECK(settings.restart.attempts == -1);
}

TEST_CASE("A restart block without strategy means exponential_delay", "[graph][unit]") {
  const JobSettings settings = SettingsOf("{restart: {attempts: 3}}");
  CHECK(settings.restart.kind == RestartKind::kExponentialDelay);
  CHECK(settings.restart.attempts == 3);
}

TEST_CASE("A strategy that is set stays, whatever checkpoints say", "[graph][unit]") {
  const JobSettings settings =
      SettingsOf("{checkpointing: {interval: 10s}, restart: {strategy: none}}");
  CHECK(settings.restart.kind == RestartKind::kNone);
}

TEST_CASE("The interval is at least the pause", "[graph][unit]") {
  CHECK(SettingsOf("{checkpointing: {interval: 1s, min_pause: 5s}}").checkpointing.interval ==
        absl::optional<absl::Duration>(absl::Seconds(5)));
  CHECK(SettingsOf("{checkpointing: {interval: 9s, min_pause: 5s}}").checkpointing.interval ==
        absl::optional<absl::Duration>(absl::Seconds(9)));
}

TEST_CASE("Checkpoint limits hold at the limit and not one past it", "[graph][unit]") {
  const auto codes = [](const std::string& checkpointing) {
    return Codes(PlanText(BidJob("", "bids", "{checkpointing: {" + checkpointing + "}}")));
  };
  CHECK(codes("interval: 10ms") == "");
  CHECK(codes("interval: 9ms") == "E0106 3:38");
  CHECK(codes("timeout: 10ms") == "");
  CHECK(codes("timeout: 9ms") == "E0106 3:37");
  CHECK(codes("max_concurrent: 1") == "");
  CHECK(codes("max_concurrent: 0") == "E0106 3:44");
  CHECK(codes("retained: 1") == "");
  CHECK(codes("retained: 0") == "E0106 3:38");
  CHECK(codes("tolerable_failures: -1") == "");
  CHECK(codes("tolerable_failures: -2") == "E0106 3:48");
}

TEST_CASE("Key groups are one and a half times the parallelism, as a power of two",
          "[graph][unit]") {
  CHECK(DefaultMaxParallelism(1) == 128);
  CHECK(DefaultMaxParallelism(85) == 128);
  CHECK(DefaultMaxParallelism(86) == 256);
  CHECK(DefaultMaxParallelism(171) == 512);
  CHECK(DefaultMaxParallelism(30'000) == 32'768);
  CHECK(DefaultMaxParallelism(32'768) == 32'768);
}

}  // namespace weir::graph
