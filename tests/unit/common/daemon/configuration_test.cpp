// What must hold: an option has the value of the last layer that sets it, and says where it came
// from; nothing that is wrong or unsafe is taken; conf/weir.yaml names every key there is.
#include "common/daemon/configuration.h"

#include <catch2/catch.hpp>

#include "common/config/diagnostic_text.h"
#include "common/fs/local/local_file_system.h"
#include "common/fs/whole_file.h"
#include "tests/unit/common/daemon/scratch_file.h"

namespace weir::daemon {
namespace {

std::string TextOf(const Configuration& configuration) {
  return config::RenderText(configuration.diagnostics, config::Colour::kOff);
}

TEST_CASE("a later layer wins and leaves other options alone", "[daemon][unit]") {
  const testing::ScratchFile file("rest: {port: 1001}\ntaskmanager:\n  slots: 3\n");
  const Configuration loaded =
      LoadConfiguration({.file = file.path(),
                         .environment = {{"WEIR__REST__PORT", "1002"},
                                         {"WEIR__STATE__CHECKPOINTS__DIR", "/tmp/c"},
                                         {"WEIR__HIGH_AVAILABILITY__TYPE", "standalone"}},
                         .assignments = {"rest.port=1003"}});
  INFO(TextOf(loaded));
  REQUIRE_FALSE(loaded.diagnostics.HasErrors());
  CHECK(loaded.options.rest.port == 1003);
  CHECK(loaded.options.taskmanager.slots == 3);
  CHECK(loaded.options.state.checkpoints.dir == "/tmp/c");
  CHECK(loaded.origins.at("rest.port") == "-D rest.port=1003");
  CHECK(loaded.origins.at("taskmanager.slots") == file.path() + ":3:10");
  CHECK(loaded.origins.at("state.checkpoints.dir") == "WEIR__STATE__CHECKPOINTS__DIR");
}

TEST_CASE("an unknown key is an error with its place and the nearest name", "[daemon][unit]") {
  const testing::ScratchFile file("taskmanager:\n  slot: 3\n");
  const Configuration loaded = LoadConfiguration({.file = file.path()});
  REQUIRE(loaded.diagnostics.HasErrors());
  CHECK_THAT(TextOf(loaded), Catch::Contains(file.path() + ":2:3: error") &&
                                 Catch::Contains("did you mean 'slots'"));
}

TEST_CASE("every mistake of every layer is reported", "[daemon][unit]") {
  const Configuration loaded =
      LoadConfiguration({.file = "/nonexistent/weir.yaml",
                         .environment = {{"WEIR__REST__PORT", "70000"}},
                         .assignments = {"rest.port", "a b=c", "heartbeat.timeout=1ms"}});
  CHECK_THAT(TextOf(loaded), Catch::Contains("/nonexistent/weir.yaml"));
  CHECK_THAT(TextOf(loaded), Catch::Contains("WEIR__REST__PORT"));
  CHECK_THAT(TextOf(loaded), Catch::Contains("-D rest.port sets nothing"));
  CHECK_THAT(TextOf(loaded), Catch::Contains("-D a b=c sets nothing"));
  CHECK_THAT(TextOf(loaded), Catch::Contains("-D heartbeat.timeout=1ms"));
}

TEST_CASE("a mistake in an assignment is shown without places in a text that nobody wrote",
          "[daemon][unit]") {
  CHECK(TextOf(LoadConfiguration({.assignments = {"rest.prt=1"}})) ==
        "-D rest.prt=1: error: unknown key 'prt' in rest [E0101]; did you mean 'port'?\n");
  CHECK(TextOf(LoadConfiguration({.assignments = {"rest.port=x"}})) ==
        "-D rest.port=x: error: bad number 'x' for 'port' [E0105]\n"
        "   = because: it is not a number\n"
        "   = help: write a whole number, 0 to 65535\n");
  CHECK_THAT(TextOf(LoadConfiguration({.environment = {{"WEIR__REST__PORT", "70000"}}})),
             Catch::StartsWith("WEIR__REST__PORT: error: 'port' must be at most 65535") &&
                 !Catch::Contains("^"));
  CHECK_THAT(TextOf(LoadConfiguration({.assignments = {"rest.port=[1"}})),
             Catch::StartsWith("-D rest.port=[1: error: the `[` of -D rest.port=[1 is not closed"));
  CHECK_THAT(TextOf(LoadConfiguration({.assignments = {"logging.level=debgu"}})),
             Catch::Contains("= help: did you mean 'debug'?"));
}

TEST_CASE("an address beyond this machine is refused unless asked for", "[daemon][unit]") {
  for (const char* const key :
       {"jobmanager.bind-host", "taskmanager.bind-host", "rest.bind-address"}) {
    CAPTURE(key);
    const std::string open = std::string(key) + "=0.0.0.0";
    CHECK(LoadConfiguration({.assignments = {open}}).diagnostics.HasErrors());
    const Configuration allowed =
        LoadConfiguration({.assignments = {open, "security.allow-insecure=true"}});
    CHECK_FALSE(allowed.diagnostics.HasErrors());
    CHECK(allowed.diagnostics.warning_count() == 1);
    CHECK(
        LoadConfiguration({.assignments = {std::string(key) + "=127.0.0.2"}}).diagnostics.empty());
  }
}

TEST_CASE("a cluster's restarts are those of the chosen type", "[daemon][unit]") {
  const auto restart_of = [](std::vector<std::string> assignments) {
    const Configuration loaded = LoadConfiguration({.assignments = std::move(assignments)});
    INFO(TextOf(loaded));
    REQUIRE_FALSE(loaded.diagnostics.HasErrors());
    return ClusterRestart(loaded.options.restart_strategy);
  };
  CHECK_FALSE(restart_of({}).has_value());
  CHECK(restart_of({"restart-strategy.type=none"})->kind == graph::RestartKind::kNone);
  const auto fixed = restart_of(
      {"restart-strategy.type=fixed-delay", "restart-strategy.fixed-delay.attempts=7",
       "restart-strategy.fixed-delay.delay=3s", "restart-strategy.failure-rate.delay=9s"});
  CHECK(fixed->kind == graph::RestartKind::kFixedDelay);
  CHECK(fixed->attempts == 7);
  CHECK(fixed->delay == absl::Seconds(3));
  const auto rate = restart_of({"restart-strategy.type=failure-rate",
                                "restart-strategy.failure-rate.max-failures-per-interval=4"});
  CHECK(rate->kind == graph::RestartKind::kFailureRate);
  CHECK(rate->attempts == 4);
  CHECK(rate->interval == absl::Minutes(1));
  const auto exponential = restart_of({"restart-strategy.type=exponential-delay",
                                       "restart-strategy.exponential-delay.initial-backoff=20ms",
                                       "restart-strategy.exponential-delay.attempts=unlimited"});
  CHECK(exponential->initial == absl::Milliseconds(20));
  CHECK(exponential->attempts == -1);
  const Configuration wrong =
      LoadConfiguration({.assignments = {"restart-strategy.exponential-delay.max-backoff=1ms"}});
  CHECK_THAT(TextOf(wrong), Catch::Contains("is shorter than initial-backoff"));
}

TEST_CASE("the job that has just ended is always remembered", "[daemon][unit]") {
  // Else whoever waits for a job would be told that there is none, once it has finished.
  CHECK(LoadConfiguration({.assignments = {"jobmanager.history.jobs=0"}}).diagnostics.HasErrors());
  CHECK(LoadConfiguration({.assignments = {"jobmanager.history.jobs=1"}}).diagnostics.empty());
}

TEST_CASE("coordination through files needs a place for them", "[daemon][unit]") {
  CHECK(
      LoadConfiguration({.assignments = {"high-availability.type=file"}}).diagnostics.HasErrors());
  CHECK(LoadConfiguration({.assignments = {"high-availability.type=file",
                                           "high-availability.storage-dir=/tmp/ha"}})
            .diagnostics.empty());
}

TEST_CASE("checkpoints and the cluster's log are not mixed in one directory", "[daemon][unit]") {
  const auto with = [](const std::string& checkpoints) {
    return TextOf(LoadConfiguration(
        {.assignments = {"high-availability.type=file", "high-availability.storage-dir=/tmp/ha",
                         "state.checkpoints.dir=" + checkpoints}}));
  };
  CHECK_THAT(with("/tmp/ha"), Catch::Contains("are both /tmp/ha"));
  CHECK_THAT(with("/tmp/.//ha/"), Catch::Contains("are both"));
  CHECK(with("/tmp/ha2").empty());
}

TEST_CASE("what --print-config shows loads as the same options", "[daemon][unit]") {
  const Configuration first = LoadConfiguration(
      {.assignments = {"rest.port=1003", "heartbeat.timeout=2500ms", "taskmanager.slots=7",
                       "state.checkpoints.dir='/tmp/a b'", "logging.level=debug"}});
  const std::string shown = RenderConfiguration(first);
  const testing::ScratchFile file(shown);
  const Configuration second = LoadConfiguration({.file = file.path()});
  INFO(shown << TextOf(second));
  REQUIRE_FALSE(second.diagnostics.HasErrors());
  CHECK(second.options.rest.port == 1003);
  CHECK(second.options.heartbeat.timeout == absl::Milliseconds(2500));
  CHECK(second.options.taskmanager.slots == 7);
  CHECK(second.options.state.checkpoints.dir == "/tmp/a b");
  CHECK_FALSE(second.options.taskmanager.host.has_value());
  CHECK(second.options.logging.level == LogLevel::kDebug);
}

TEST_CASE("conf/weir.yaml has every key and sets none", "[daemon][unit]") {
  fs::LocalFileSystem files;
  const std::string path = std::string(WEIR_SOURCE_DIR) + "/conf/weir.yaml";
  if (getenv("WEIR_UPDATE_GOLDEN") != nullptr) {
    REQUIRE(fs::PublishFile(files, path, ConfigurationTemplate()).ok());
  }
  const absl::StatusOr<std::string> shipped =
      fs::ReadWholeFile(files, path, config::kDocumentBytesMax);
  REQUIRE(shipped.ok());
  CHECK(*shipped == ConfigurationTemplate());
  const Configuration loaded = LoadConfiguration({.file = path});
  CHECK(loaded.diagnostics.empty());
  CHECK(loaded.origins.empty());
}

}  // namespace
}  // namespace weir::daemon
