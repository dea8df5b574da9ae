// What must hold: rows that belong together meet in one subtask, the changes of one row stay in
// order, and state is named and described so that a later run finds what fits.
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/graph/descriptor.h"
#include "common/graph/planner.h"
#include "common/graph/steps/aggregate.h"
#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

constexpr const char* kCounts =
    "  counts: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}}\n";

}  // namespace

TEST_CASE("An aggregate is fed by a projection of its keys and arguments", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  grouped:
    type: aggregate
    input: bids
    key_by: {c: lower(channel), auction: auction}
    aggregates:
      n: count(*)
      total: sum(price)
      most: max(price)
      latest: max(ts)
      first_auction: min(auction)
      sum2: sum(bidder * 2)
)",
                                    "grouped", "{parallelism: 3}"));
  CHECK(InputsOf(*plan, "grouped/project") == "bids forward");
  CHECK(InputsOf(*plan, "grouped") == "grouped/project hash(0,1)");
  // `auction` is key and argument: the argument has a column of its own.
  CHECK(NodeOf(*plan, "grouped/project").schema->ToString() ==
        "c string, auction int64 not null, price decimal(12,2), ts timestamp not null, "
        "4_argument int64 not null, 5_argument int64");
  const auto& spec = std::get<AggregateSpec>(NodeOf(*plan, "grouped").spec);
  CHECK(spec.key_count == 2);
  REQUIRE(spec.aggregates.size() == 6);
  CHECK_FALSE(spec.aggregates[0].argument.has_value());
  CHECK(spec.aggregates[1].argument == absl::optional<size_t>(2));
  CHECK(spec.aggregates[2].argument == absl::optional<size_t>(2));
  CHECK(spec.aggregates[3].argument == absl::optional<size_t>(3));
  CHECK(spec.aggregates[4].argument == absl::optional<size_t>(4));
  CHECK(spec.aggregates[5].argument == absl::optional<size_t>(5));
}

TEST_CASE("A global count still has a column to carry its rows", "[graph][unit]") {
  const PlanResult result =
      PlanText(BidJob("  total: {type: aggregate, input: bids, key_by: [], "
                      "aggregates: {n: count(*)}}",
                      "total", "{parallelism: 4}"));
  REQUIRE(result.plan != nullptr);
  CHECK(Codes(result) == "N0401 19:3");
  CHECK(NodeOf(*result.plan, "total/project").schema->size() == 1);
  CHECK(NodeOf(*result.plan, "total/project").parallelism == 4);
  CHECK(NodeOf(*result.plan, "total").parallelism == 1);
  CHECK(InputsOf(*result.plan, "total") == "total/project hash()");
  CHECK(NodeOf(*result.plan, "total").changelog ==
        Changelog{.mode = ChangelogMode::kUpsert, .key = {}});
}

TEST_CASE("A having becomes a filter behind the aggregate", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  often:
    type: aggregate
    input: bids
    key_by: [channel]
    aggregates: {n: count(*)}
    having: n > 3 and channel is not null
    uid: kept
)",
                                    "often"));
  CHECK(InputsOf(*plan, "often/having") == "often forward");
  CHECK(InputsOf(*plan, "out") == "often/having forward");
  CHECK(NodeOf(*plan, "often/having").changelog.mode == ChangelogMode::kUpsert);
  CHECK(NodeOf(*plan, "often").uid == "kept");
  CHECK(NodeOf(*plan, "often/project").uid == "kept/project");
  CHECK(NodeOf(*plan, "often/having").uid == "kept/having");
}

TEST_CASE("Append rows are dealt out in turn where parallelism changes", "[graph][unit]") {
  const auto plan =
      MustPlan(BidJob("  some: {type: filter, input: bids, where: auction > 3, parallelism: 3}",
                      "some", "{parallelism: 2}"));
  CHECK(InputsOf(*plan, "some") == "bids rebalance");
  CHECK(InputsOf(*plan, "out") == "some rebalance");
  CHECK(NodeOf(*plan, "some").parallelism == 3);
}

TEST_CASE("Changes go by their key where parallelism changes", "[graph][unit]") {
  const auto plan = MustPlan(
      BidJob(std::string(kCounts) +
                 "  some: {type: filter, input: counts, where: n > 3, parallelism: 3}\n"
                 "  names: {type: select, input: some, columns: {n: n, m: n}, parallelism: 2}\n"
                 "  more: {type: filter, input: names, where: n > 4, parallelism: 3}\n",
             "more", "{parallelism: 2}"));
  CHECK(InputsOf(*plan, "some") == "counts hash(0)");
  CHECK(InputsOf(*plan, "names") == "some hash(0)");
  CHECK(InputsOf(*plan, "more") == "names hash(0,1)");
}

TEST_CASE("A sink with several inputs reads their union", "[graph][unit]") {
  const auto plan =
      MustPlan(BidJob("  some: {type: filter, input: bids, where: auction > 3}", "[some, bids]"));
  CHECK(InputsOf(*plan, "out/union") == "some forward, bids forward");
  CHECK(InputsOf(*plan, "out") == "out/union forward");
  CHECK(NodeOf(*plan, "out/union").step_id == "out");
}

TEST_CASE("The command line's parallelism replaces that of the settings only", "[graph][unit]") {
  const std::string text =
      BidJob("  some: {type: filter, input: bids, where: auction > 3, parallelism: 3}", "some",
             "{parallelism: 2}");
  const PlanResult result = PlanText(text, {}, /*parallelism=*/5);
  REQUIRE(result.plan != nullptr);
  CHECK(NodeOf(*result.plan, "bids").parallelism == 5);
  CHECK(NodeOf(*result.plan, "some").parallelism == 3);
  CHECK(result.plan->settings.parallelism == 5);
}

TEST_CASE("max_parallelism follows from the highest parallelism of a step", "[graph][unit]") {
  const auto small = MustPlan(BidJob("", "bids", "{parallelism: 85}"));
  CHECK(small->settings.max_parallelism == 128);
  const auto large = MustPlan(BidJob("", "bids", "{parallelism: 86}"));
  CHECK(large->settings.max_parallelism == 256);
  const auto own =
      MustPlan(BidJob("  some: {type: filter, input: bids, where: auction > 3, "
                      "parallelism: 200}",
                      "some"));
  CHECK(own->settings.max_parallelism == 512);
}

TEST_CASE("What is given beside the descriptor has the range of what is in it", "[graph][unit]") {
  const auto plan = [](absl::optional<int64_t> parallelism,
                       absl::optional<int64_t> max_parallelism) {
    PlanRequest request;
    request.text = BidJob("", "bids");
    request.parallelism = parallelism;
    request.max_parallelism = max_parallelism;
    return MakePlan(request);
  };
  for (const int64_t wrong : {int64_t{0}, int64_t{-1}, int64_t{32769}, int64_t{1} << 32}) {
    CAPTURE(wrong);
    CHECK(plan(wrong, absl::nullopt).plan == nullptr);
    CHECK(plan(absl::nullopt, wrong).plan == nullptr);
  }
  CHECK(Rendered(plan(absl::nullopt, 99999))
            .find("max_parallelism is 99999; it must be a whole number from 1 to 32768") !=
        std::string::npos);
  CHECK(Codes(plan(3, 2)) == "E0406 1:1");
  const PlanResult widest = plan(1, 32768);
  REQUIRE(widest.plan != nullptr);
  CHECK(widest.plan->settings.max_parallelism == 32768);
}

TEST_CASE("No step runs more subtasks than there are key groups", "[graph][unit]") {
  CHECK(Codes(PlanText(BidJob("", "bids", "{parallelism: 4, max_parallelism: 4}"))) == "");
  CHECK(Codes(PlanText(BidJob("", "bids", "{parallelism: 4, max_parallelism: 3}"))) ==
        "E0406 3:25");
  const PlanResult asked =
      PlanText(BidJob("", "bids", "{parallelism: 1, max_parallelism: 3}"), {}, /*parallelism=*/4);
  CHECK(Rendered(asked).find("error: --parallelism 4 exceeds max_parallelism 3") !=
        std::string::npos);
  CHECK(Rendered(asked).find("choose a --parallelism of at most 3") != std::string::npos);
  CHECK(Codes(PlanText(BidJob("", "bids", "{max_parallelism: 3}"), {}, /*parallelism=*/4)) ==
        "E0406 3:29");
}

TEST_CASE("A signature tells state that fits from state that does not", "[graph][unit]") {
  const auto signature = [](const std::string& aggregate) {
    const auto plan =
        MustPlan(BidJob("  x: {type: aggregate, input: bids, " + aggregate + "}", "x"));
    return NodeOf(*plan, "x").state_signature;
  };
  const std::string first = signature("key_by: [channel], aggregates: {n: count(*)}");
  CHECK(first == "aggregate keys=(channel: string) calls=(count(*): count(*)) emit=updating");
  CHECK(signature("key_by: {c: channel}, aggregates: {m: count(*)}, having: m > 1") == first);
  CHECK(signature("key_by: [auction], aggregates: {n: count(*)}") !=
        signature("key_by: [bidder], aggregates: {n: count(*)}"));
  CHECK(signature("key_by: [channel], aggregates: {n: count(price)}") != first);
  CHECK(signature("key_by: [channel], aggregates: {n: count(*)}, window: {type: tumbling, size: "
                  "1h}") ==
        "aggregate keys=(channel: string) window=3600000000us/3600000000us+0us "
        "calls=(count(*): count(*)) emit=on_close");
}

TEST_CASE("A signature tells other expressions of the same type", "[graph][unit]") {
  const auto signature = [](const std::string& key, const std::string& call) {
    const auto plan = MustPlan(BidJob("  x: {type: aggregate, input: bids, key_by: {k: \"" + key +
                                          "\"}, aggregates: {n: \"" + call + "\"}}",
                                      "x"));
    return NodeOf(*plan, "x").state_signature;
  };
  const std::string first = signature("auction % 3", "sum(bidder)");
  CHECK(signature("auction%3", " sum( bidder ) ") == first);
  CHECK(signature("auction % 3 + 100", "sum(bidder)") != first);
  CHECK(signature("auction % 3", "sum(-bidder)") != first);
  CHECK(signature("bidder % 3", "sum(bidder)") != first);
}

TEST_CASE("A signature's text keeps words and quoted blanks apart", "[graph][unit]") {
  CHECK(SignatureText(" a  and\n b ||' x  y ' in (1 , 2)") == "a and b||' x  y ' in(1,2)");
  CHECK(SignatureText("it || 'it''s  ' || \"A  b\" is null") == "it||'it''s  '||\"A  b\" is null");
  const std::string one(300, 'x');
  CHECK(SignatureText(one).size() == 100 + 4 + 16);
  CHECK(SignatureText(one) != SignatureText(one + "y"));
}

TEST_CASE("Sources and file sinks have signatures, steps without state none", "[graph][unit]") {
  const auto plan =
      MustPlan(BidJob("  some: {type: filter, input: bids, where: auction > 3}", "some"));
  CHECK(NodeOf(*plan, "bids").state_signature == "source file path=bids.ndjson format=json");
  CHECK(NodeOf(*plan, "some").state_signature.empty());
  CHECK(NodeOf(*plan, "out").state_signature.empty());
}

TEST_CASE("A step too many is the only error of a job that has all else", "[graph][unit]") {
  // Source, sink and the filters between them.
  const auto job_of = [](int steps) {
    std::string filters;
    for (int i = 2; i < steps; ++i) {
      absl::StrAppend(&filters, "  f", i,
                      ": {type: filter, input: ", i == 2 ? "bids" : absl::StrCat("f", i - 1),
                      ", where: auction > 0}\n");
    }
    return BidJob(filters, absl::StrCat("f", steps - 1));
  };
  CHECK(Codes(PlanText(job_of(kStepCountMax))).empty());
  const PlanResult result = PlanText(job_of(kStepCountMax + 1));
  CHECK(result.plan == nullptr);
  CHECK(result.diagnostics.error_count() == 1);
  CHECK(Codes(result).substr(0, 5) == "E0109");
}

}  // namespace weir::graph
