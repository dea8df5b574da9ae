// What must hold: what a step's options say is what its operator is told.
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/graph/planner.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

TEST_CASE("on_error reaches every operator of a step", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  a: {type: filter, input: bids, where: auction > 3, on_error: skip}
  b: {type: select, input: a, keep: all, on_error: skip}
  c: {type: unnest, input: b, expr: 'regexp_extract_all(channel, ''a'')', as: x, on_error: skip}
  d:
    type: aggregate
    input: c
    key_by: [x]
    aggregates: {n: sum(auction)}
    having: n > 3
    on_error: skip
)",
                                    "d"));
  CHECK(std::get<FilterSpec>(NodeOf(*plan, "a").spec).on_error == OnError::kSkip);
  CHECK(std::get<SelectSpec>(NodeOf(*plan, "b").spec).on_error == OnError::kSkip);
  CHECK(std::get<UnnestSpec>(NodeOf(*plan, "c").spec).on_error == OnError::kSkip);
  CHECK(std::get<SelectSpec>(NodeOf(*plan, "d/project").spec).on_error == OnError::kSkip);
  CHECK(std::get<AggregateSpec>(NodeOf(*plan, "d").spec).on_error == OnError::kSkip);
  CHECK(std::get<FilterSpec>(NodeOf(*plan, "d/having").spec).on_error == OnError::kSkip);
}

TEST_CASE("An aggregate over an updating input is told so", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  first: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}}
  second: {type: aggregate, input: first, key_by: [n], aggregates: {m: count(*), x: max(channel)}}
)",
                                    "second"));
  CHECK_FALSE(std::get<AggregateSpec>(NodeOf(*plan, "first").spec).input_is_updating);
  CHECK(std::get<AggregateSpec>(NodeOf(*plan, "second").spec).input_is_updating);
}

TEST_CASE("Aggregate calls have the types of their arguments and results", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  grouped:
    type: aggregate
    input: bids
    key_by: [channel]
    aggregates: {a: count(*), b: count(price), c: count(distinct price), d: sum(price),
                 e: avg(auction), f: min(ts), g: max(channel)}
    late: drop
    window: {type: tumbling, size: 10s}
)",
                                    "grouped"));
  const auto& spec = std::get<AggregateSpec>(NodeOf(*plan, "grouped").spec);
  std::string text;
  for (const AggregateCall& call : spec.aggregates) {
    absl::StrAppend(&text, static_cast<int>(call.function), " ", call.argument_type.ToString(),
                    " -> ", call.result_type.ToString(), "; ");
  }
  CHECK(text ==
        "0 null -> int64; 1 decimal(12,2) -> int64; 2 decimal(12,2) -> int64; "
        "3 decimal(12,2) -> decimal(38,2); 4 int64 -> double; 5 timestamp -> timestamp; "
        "6 string -> string; ");
}

TEST_CASE("A sink writes json to stdout if nothing is said", "[graph][unit]") {
  const auto plan = MustPlan(R"(weir: 1
name: sinks
sources:
  lines: {connector: file, options: {path: a}, format: text}
sinks:
  shown: {connector: stdout, input: lines, label: Shown}
  kept: {connector: file, input: lines, options: {path: out}, format: json, on_error: skip}
)");
  const auto& shown = std::get<SinkSpec>(NodeOf(*plan, "shown").spec);
  CHECK(shown.format.kind == FormatKind::kJson);
  CHECK(NodeOf(*plan, "shown").label == "Shown");
  const auto& kept = std::get<SinkSpec>(NodeOf(*plan, "kept").spec);
  CHECK(std::get<FileSinkOptions>(kept.connector).path == "out");
  CHECK(kept.on_error == OnError::kSkip);
  CHECK(kept.changelog == SinkChangelog::kAppend);
  CHECK(NodeOf(*plan, "kept").state_signature == "sink file format=json");
}

TEST_CASE("Windows that other systems have are answered with what there is", "[graph][unit]") {
  const auto rendered = [](const std::string& type) {
    return Rendered(
        PlanText(BidJob("  counts: {type: aggregate, input: bids, key_by: [auction], "
                        "aggregates: {n: count(*)}, window: {type: " +
                            type + ", size: 1h, slide: 5m}}\n",
                        "counts")));
  };
  CHECK(rendered("sliding").find("called hopping: {type: hopping") != std::string::npos);
  CHECK(rendered("session").find("no window of type 'session'") != std::string::npos);
  CHECK(rendered("tumblig").find("did you mean 'tumbling'?") != std::string::npos);
}

TEST_CASE("A computed key in a list is answered with how to name it", "[graph][unit]") {
  const PlanResult result =
      PlanText(BidJob("  counts: {type: aggregate, input: bids, key_by: [\"lower(channel)\"], "
                      "aggregates: {n: count(*)}}\n",
                      "counts"));
  CHECK(Codes(result).substr(0, 5) == "E0203");
  CHECK(Rendered(result).find("key_by: {key: \"lower(channel)\"}") != std::string::npos);
}

TEST_CASE("The windows that one row may be in are limited", "[graph][unit]") {
  const auto codes = [](const std::string& size) {
    return Codes(PlanText(
        BidJob(absl::StrCat("  a: {type: aggregate, input: bids, key_by: [channel], aggregates: "
                            "{n: count(*)}, window: {type: hopping, size: ",
                            size, ", slide: 1ms}}"),
               "a")));
  };
  CHECK(codes("10s") == "");
  CHECK(codes("10001ms") == "E0415 19:129");
}

}  // namespace weir::graph
