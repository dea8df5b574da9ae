// What must hold: the examples that ship are valid, without warnings, and write the columns that
// they say they write.
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "tests/unit/common/graph/golden.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

std::shared_ptr<const Plan> PlanExample(const std::string& name, const Variables& variables) {
  const PlanResult result =
      PlanText(ReadText(absl::StrCat(WEIR_SOURCE_ROOT, "/examples/", name)), variables);
  INFO(Rendered(result));
  REQUIRE(result.plan != nullptr);
  CHECK(result.diagnostics.empty());
  return result.plan;
}

}  // namespace

TEST_CASE("The word count example counts each word once at the end", "[graph][unit]") {
  const auto plan = PlanExample("word-count.yaml", {});
  CHECK(NodeOf(*plan, "out").schema->ToString() == "word string, n int64 not null");
  CHECK_FALSE(NodeOf(*plan, "counts").changelog.IsUpdating());
  CHECK(plan->settings.checkpointing.interval.has_value());
}

TEST_CASE("The flight delay example gives three figures per airport and day", "[graph][unit]") {
  const auto plan = PlanExample("flight-delays.yaml", {});
  CHECK(NodeOf(*plan, "out").schema->ToString() ==
        "origin string not null, window_start timestamp not null, window_end timestamp not null, "
        "flights int64 not null, avg_delay double, worst_delay int32");
  CHECK(plan->settings.parallelism == 2);
  CHECK(plan->settings.checkpointing.interval ==
        absl::optional<absl::Duration>(absl::Milliseconds(200)));
}

TEST_CASE("The flight delay example takes its paths, rate and sizes from variables",
          "[graph][unit]") {
  const auto plan = PlanExample("flight-delays.yaml", {{"FLIGHTS", "f.ndjson"},
                                                       {"OUT", "/tmp/o"},
                                                       {"RATE", "50/s"},
                                                       {"PARALLELISM", "3"},
                                                       {"CHECKPOINT_INTERVAL", "1s"}});
  const auto& source = std::get<SourceSpec>(NodeOf(*plan, "flights").spec);
  CHECK(std::get<FileSourceOptions>(source.connector).path == "f.ndjson");
  CHECK(std::get<FileSourceOptions>(source.connector).rate == absl::optional<double>(50));
  const auto& sink = std::get<SinkSpec>(NodeOf(*plan, "out").spec);
  CHECK(std::get<FileSinkOptions>(sink.connector).path == "/tmp/o");
  CHECK(plan->settings.parallelism == 3);
}

}  // namespace weir::graph
