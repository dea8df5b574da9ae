// What must hold: explain shows of every operator its rows, its changes, its state and how rows
// reach it.
#include "common/graph/explain.h"

#include <absl/strings/match.h>
#include <catch2/catch.hpp>

#include "tests/unit/common/graph/planned.h"

namespace weir::graph {

namespace {

std::shared_ptr<const Plan> CountsPlan() {
  return MustPlan(BidJob(R"(
  counts:
    type: aggregate
    input: bids
    key_by: [channel]
    window: {type: tumbling, size: 1h}
    aggregates: {n: count(*)}
)",
                         "counts", "{parallelism: 2, checkpointing: {interval: 10s}}"));
}

}  // namespace

TEST_CASE("The text of a plan names operators, rows, changes, state and exchanges",
          "[graph][unit]") {
  CHECK(
      ExplainText(*CountsPlan(), ExplainView::kPhysical) ==
      R"(job bids   parallelism 2   max_parallelism 128   checkpoints every 10s   restarts exponential_delay, unlimited
 bids            source file json       append     x2
   rows      auction int64 not null, bidder int64, price decimal(12,2), channel string, ts timestamp not null
   watermark 5s behind the newest row
   state     the position in each split
 counts/project  select                 append     x2  chained to bids  [+]
   rows      channel string
   watermark 5s behind the newest row
 counts          aggregate tumbling 1h  append     x2
   = hash from counts/project on channel
   rows      channel string, window_start timestamp not null, window_end timestamp not null, n int64 not null
   watermark 5s behind the newest row
   state     per key and window, until it closes: count(*)
 out             sink blackhole         takes log  x2  chained to counts
   writes    channel string, window_start timestamp not null, window_end timestamp not null, n int64 not null, _op string not null
[+] added by the planner

vertices: what runs in one task
  0  x2  bids -> counts/project
  1  x2  counts -> out
edges: how rows travel between tasks
  0 -> 1  hash on channel, 4 channels: channel string
)");
}

TEST_CASE("The physical part is shown only if asked for", "[graph][unit]") {
  CHECK_FALSE(absl::StrContains(ExplainText(*CountsPlan(), ExplainView::kOperators), "vertices"));
}

TEST_CASE("The JSON of a plan has operators, vertices and edges", "[graph][unit]") {
  const std::string json = ExplainJson(*CountsPlan());
  CHECK(absl::StartsWith(json, R"("job":"bids","parallelism":2,"max_parallelism":128,)"
                               R"("checkpoint_interval":"10s",)"));
  CHECK(absl::StrContains(
      json, R"("inputs":[{"from":"counts/project","partitioning":"hash","key":["channel"]}])"));
  CHECK(absl::StrContains(json, R"("schema":[{"name":"channel","type":"string","nullable":true})"));
  CHECK(absl::StrContains(json, R"("changelog":{"mode":"append"})"));
  CHECK(absl::StrContains(json, R"("vertices":[{"name":"bids -> counts/project","parallelism":2,)"
                                R"("chain":["bids","counts/project"]})"));
  CHECK(absl::StrContains(json, R"("edges":[{"from":0,"to":1,"partitioning":"hash",)"));
}

TEST_CASE("Explain says which aggregates keep every value", "[graph][unit]") {
  const auto plan = MustPlan(BidJob(R"(
  first: {type: aggregate, input: bids, key_by: [channel], aggregates: {n: count(*)}}
  second: {type: aggregate, input: first, key_by: [], aggregates: {most: max(n)}}
)",
                                    "second"));
  const std::string text = ExplainText(*plan, ExplainView::kOperators);
  CHECK(absl::StrContains(text, "one group: max(int64); keeps every different value"));
  CHECK(absl::StrContains(text, "upsert key(channel)"));
  CHECK(absl::StrContains(text, "upsert key()"));
}

}  // namespace weir::graph
