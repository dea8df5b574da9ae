// What must hold: a plan says of every edge what its rows are: columns, changes, event time.
#include "common/graph/planner.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

std::string SchemaOf(const Plan& plan, const std::string& id) {
  return NodeOf(plan, id).schema->ToString();
}

}  // namespace

TEST_CASE("A filter keeps the columns of its input", "[graph][unit]") {
  const auto plan =
      MustPlan(BidJob("  some: {type: filter, input: bids, where: auction > 3}", "some"));
  CHECK(SchemaOf(*plan, "some") == SchemaOf(*plan, "bids"));
  CHECK(NodeOf(*plan, "some").has_event_time);
  CHECK_FALSE(NodeOf(*plan, "some").changelog.IsUpdating());
}

TEST_CASE("A select's columns come in the order it says", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  kept: {type: select, input: bids, keep: [channel, auction]}
  dropped: {type: select, input: kept, drop: [channel], columns: {twice: auction * 2}}
)",
                                    "dropped"));
  CHECK(SchemaOf(*plan, "kept") == "channel string, auction int64 not null");
  CHECK(SchemaOf(*plan, "dropped") == "auction int64 not null, twice int64 not null");
}

TEST_CASE("A computed column takes the place of a kept one of its name", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(
      "  all: {type: select, input: bids, keep: all, columns: {bidder: \"coalesce(bidder, 0)\"}}",
      "all"));
  CHECK(SchemaOf(*plan, "all") ==
        "auction int64 not null, bidder int64 not null, price decimal(12,2), channel string, "
        "ts timestamp not null");
}

TEST_CASE("An unnest adds the element and its number", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  letters:
    type: unnest
    input: bids
    expr: regexp_extract_all(channel, '[a-z]')
    as: letter
    ordinality: at
)",
                                    "letters"));
  CHECK(SchemaOf(*plan, "letters") ==
        "auction int64 not null, bidder int64, price decimal(12,2), channel string, "
        "ts timestamp not null, letter string, at int64 not null");
  CHECK(NodeOf(*plan, "letters").has_event_time);
}

TEST_CASE("A windowed aggregate gives append rows with the window's bounds", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  daily:
    type: aggregate
    input: bids
    key_by: [auction]
    window: {type: hopping, size: 10s, slide: 2s, offset: 1s}
    aggregates: {n: count(*), best: max(price), mean: avg(bidder), who: count(distinct bidder)}
)",
                                    "daily"));
  const PlanNode& node = NodeOf(*plan, "daily");
  CHECK(node.schema->ToString() ==
        "auction int64 not null, window_start timestamp not null, window_end timestamp not null, "
        "n int64 not null, best decimal(12,2), mean double, who int64 not null");
  CHECK_FALSE(node.changelog.IsUpdating());
  CHECK(node.has_event_time);
  const auto& spec = std::get<AggregateSpec>(node.spec);
  CHECK(spec.emit == EmitMode::kOnClose);
  REQUIRE(spec.window.has_value());
  CHECK(spec.window->size_us == 10'000'000);
  CHECK(spec.window->slide_us == 2'000'000);
  CHECK(spec.window->offset_us == 1'000'000);
}

TEST_CASE("An aggregate without window is upsert on its key", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(
      "  counts: {type: aggregate, input: bids, key_by: {c: lower(channel), auction: auction}, "
      "aggregates: {n: count(*)}}",
      "counts"));
  const PlanNode& node = NodeOf(*plan, "counts");
  CHECK(node.changelog == Changelog{.mode = ChangelogMode::kUpsert, .key = {0, 1}});
  CHECK_FALSE(node.has_event_time);
  CHECK(node.schema->ToString() == "c string, auction int64 not null, n int64 not null");
}

TEST_CASE("An aggregate that emits at the end gives append rows", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(
      "  counts: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}, "
      "emit: at_end}",
      "counts"));
  CHECK_FALSE(NodeOf(*plan, "counts").changelog.IsUpdating());
  CHECK(std::get<AggregateSpec>(NodeOf(*plan, "counts").spec).emit == EmitMode::kAtEnd);
}

TEST_CASE("An upsert key survives a select only if all its columns do", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  counts: {type: aggregate, input: bids, key_by: [channel, auction], aggregates: {n: count(*)}}
  swapped: {type: select, input: counts, columns: {n: n, a: auction, c: channel}}
  lost: {type: select, input: counts, columns: {n: n, c: channel}}
  changed: {type: select, input: counts, columns: {c: lower(channel), a: auction, n: n}}
  united: {type: union, inputs: [lost_rows, changed_rows]}
  lost_rows: {type: select, input: lost, keep: [n]}
  changed_rows: {type: select, input: changed, keep: [n]}
  swapped_rows: {type: select, input: swapped, keep: [a, n, c]}
)",
                                    "united"));
  CHECK(NodeOf(*plan, "lost").changelog.mode == ChangelogMode::kRetract);
  CHECK(NodeOf(*plan, "changed").changelog.mode == ChangelogMode::kRetract);
  CHECK(NodeOf(*plan, "united").changelog.mode == ChangelogMode::kRetract);
  const auto swapped = MustPlan(BidJob(R"(
  counts: {type: aggregate, input: bids, key_by: [channel, auction], aggregates: {n: count(*)}}
  swapped: {type: select, input: counts, columns: {n: n, a: auction, c: channel}}
)",
                                       "swapped"));
  CHECK(NodeOf(*swapped, "swapped").changelog ==
        Changelog{.mode = ChangelogMode::kUpsert, .key = {2, 1}});
}

TEST_CASE("An unnest of an updating stream is a retract stream", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  counts: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}}
  letters: {type: unnest, input: counts, expr: 'regexp_extract_all(channel, ''a'')', as: letter}
)",
                                    "letters"));
  CHECK(NodeOf(*plan, "letters").changelog.mode == ChangelogMode::kRetract);
}

TEST_CASE("A union of append streams appends; its columns are nullable where one is",
          "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  a: {type: select, input: bids, columns: {x: auction}}
  b: {type: select, input: bids, columns: {x: bidder}}
  both: {type: union, inputs: [a, b]}
)",
                                    "both"));
  const PlanNode& node = NodeOf(*plan, "both");
  CHECK_FALSE(node.changelog.IsUpdating());
  CHECK(node.schema->ToString() == "x int64");
  CHECK(node.has_event_time);
}

TEST_CASE("A log sink writes the kind of change as last column", "[graph][unit]") {
  const auto plan =
      MustPlan(BidJob("  a: {type: select, input: bids, columns: {x: auction}}", "a"));
  CHECK(SchemaOf(*plan, "out") == "x int64 not null, _op string not null");
}

TEST_CASE("An error is reported once, not again by what depends on it", "[graph][unit]") {
  const PlanResult result = PlanText(BidJob(R"(
  broken: {type: select, input: bids, columns: {x: nothing_there}}
  behind: {type: filter, input: broken, where: x > 3}
  grouped: {type: aggregate, input: behind, key_by: [x], aggregates: {n: count(*)}}
)",
                                            "grouped"));
  CHECK(result.plan == nullptr);
  CHECK(Codes(result) == "E0203 20:52");
}

TEST_CASE("A filter's broken condition does not hide errors behind it", "[graph][unit]") {
  const PlanResult result = PlanText(BidJob(R"(
  broken: {type: filter, input: bids, where: x > 3}
  behind: {type: filter, input: broken, where: y > 3}
)",
                                            "behind"));
  CHECK(Codes(result) == "E0203 20:46; E0203 21:48");
}

TEST_CASE("Steps whose rows reach no sink are warned of and do not run", "[graph][unit]") {
  const PlanResult result = PlanText(BidJob(R"(
  read: {type: filter, input: bids, where: auction > 3}
  unread: {type: filter, input: plain, where: auction > 3}
)",
                                            "read"));
  REQUIRE(result.plan != nullptr);
  CHECK(Codes(result) == "W0401 26:3");
  for (const PlanNode& node : result.plan->nodes) {
    CHECK(node.id != "unread");
    CHECK(node.id != "plain");
  }
}

TEST_CASE("The same text gives the same plan", "[graph][unit]") {
  const std::string text = BidJob(R"(
  counts: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}}
)",
                                  "counts", "{parallelism: 4}");
  const auto first = MustPlan(text);
  const auto second = MustPlan(text);
  REQUIRE(first->nodes.size() == second->nodes.size());
  for (size_t i = 0; i < first->nodes.size(); ++i) {
    CHECK(first->nodes[i].id == second->nodes[i].id);
    CHECK(first->nodes[i].state_signature == second->nodes[i].state_signature);
    CHECK(*first->nodes[i].schema == *second->nodes[i].schema);
  }
}

}  // namespace weir::graph
