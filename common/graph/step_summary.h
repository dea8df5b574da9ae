// Step summaries: what an operator is, keeps and passes on, in words, for explain.
#pragma once

#include <string>
#include <vector>

#include "common/graph/plan.h"

namespace weir::graph {

// "source", "filter", "aggregate", "sink", ...
StringView KindText(const StepSpec& spec);
// What distinguishes it: "file csv", "tumbling 1d", "to stdout json"; may be empty.
std::string DetailText(const StepSpec& spec);
// What it keeps: "per key and window: count(*), max(int32)". Empty: nothing.
std::string StateText(const PlanNode& node);
// When what a sink writes can be seen; empty for others.
std::string VisibilityText(const PlanNode& node, const JobSettings& settings);
// How far event time has come behind the node, by node index: "5s behind the newest row".
std::vector<std::string> WatermarkTexts(const Plan& plan);
// "word, city"
std::string ColumnsText(const std::vector<size_t>& columns, const types::Schema& schema);
// "forward", "hash", "rebalance", "broadcast".
StringView PartitioningText(Partitioning partitioning);
// "append", "upsert", "retract".
StringView ModeText(ChangelogMode mode);
// "append", "log", "insert_only".
StringView SinkChangelogText(SinkChangelog changelog);
// "exponential_delay, unlimited"
std::string RestartText(const RestartOptions& restart);

}  // namespace weir::graph
