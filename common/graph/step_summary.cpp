#include "common/graph/step_summary.h"

#include <absl/strings/str_cat.h>

#include "common/config/values.h"
#include "common/graph/connectors/catalog.h"
#include "common/graph/format_options.h"
#include "common/graph/steps/aggregate.h"

namespace weir::graph {
namespace {

std::string MicrosText(int64_t micros) {
  return config::DurationText(absl::Microseconds(micros));
}

std::string SourceText(const SourceSpec& source) {
  const StringView connector = ConnectorName(source);
  if (std::holds_alternative<DatagenOptions>(source.connector)) return std::string(connector);
  return absl::StrCat(connector, " ", FormatName(source.format.kind));
}

std::string SinkText(const SinkSpec& sink) {
  const StringView connector = ConnectorName(sink);
  if (std::holds_alternative<BlackholeOptions>(sink.connector)) return std::string(connector);
  return absl::StrCat(connector, " ", FormatName(sink.format.kind));
}

std::string AggregateText(const AggregateSpec& spec) {
  if (!spec.window.has_value()) return spec.emit == EmitMode::kAtEnd ? "at end" : "updating";
  const WindowSpec& window = *spec.window;
  std::string text = absl::StrCat(window.slide_us == window.size_us ? "tumbling " : "hopping ",
                                  MicrosText(window.size_us));
  if (window.slide_us != window.size_us) {
    absl::StrAppend(&text, " every ", MicrosText(window.slide_us));
  }
  return text;
}

std::string AggregateState(const AggregateSpec& spec) {
  std::string calls;
  bool keeps_values = false;
  for (const AggregateCall& call : spec.aggregates) {
    absl::StrAppend(&calls, calls.empty() ? "" : ", ", AggregateCallText(call));
    keeps_values |= call.function == AggregateFunction::kCountDistinct;
    keeps_values |= spec.input_is_updating && (call.function == AggregateFunction::kMin ||
                                               call.function == AggregateFunction::kMax);
  }
  std::string text = spec.key_count == 0 ? "one group" : "per key";
  if (spec.window.has_value()) {
    absl::StrAppend(&text, " and window, until it closes");
  }
  absl::StrAppend(&text, ": ", calls);
  if (keeps_values) absl::StrAppend(&text, "; keeps every different value");
  return text;
}

std::string EventTimeText(const EventTimeSpec& spec) {
  if (!spec.has_watermark) return "none";
  if (spec.delay == absl::ZeroDuration()) return "the newest row";
  return absl::StrCat(config::DurationText(spec.delay), " behind the newest row");
}

}  // namespace

StringView KindText(const StepSpec& spec) {
  static constexpr const char* kNames[] = {"source", "filter",    "select", "unnest",
                                           "union",  "aggregate", "sink"};
  static_assert(std::variant_size_v<StepSpec> == sizeof(kNames) / sizeof(kNames[0]),
                "a name for each alternative, in their order");
  return kNames[spec.index()];
}

std::string DetailText(const StepSpec& spec) {
  if (const auto* source = std::get_if<SourceSpec>(&spec)) return SourceText(*source);
  if (const auto* sink = std::get_if<SinkSpec>(&spec)) return SinkText(*sink);
  if (const auto* aggregate = std::get_if<AggregateSpec>(&spec)) return AggregateText(*aggregate);
  return "";
}

std::string StateText(const PlanNode& node) {
  if (const auto* aggregate = std::get_if<AggregateSpec>(&node.spec)) {
    return AggregateState(*aggregate);
  }
  if (const auto* source = std::get_if<SourceSpec>(&node.spec)) {
    return std::holds_alternative<DatagenOptions>(source->connector) ? "the next row of each split"
                                                                     : "the position in each split";
  }
  return node.state_signature.empty() ? "" : "parts that are not committed yet";
}

std::string VisibilityText(const PlanNode& node, const JobSettings& settings) {
  const auto* sink = std::get_if<SinkSpec>(&node.spec);
  if (sink == nullptr) return "";
  if (std::holds_alternative<BlackholeOptions>(sink->connector)) return "";
  if (std::holds_alternative<StdoutOptions>(sink->connector)) {
    return "at once; rows may repeat after a crash";
  }
  const auto& interval = settings.checkpointing.interval;
  if (!interval.has_value()) return "exactly once, at the end of the job";
  return absl::StrCat("exactly once, with a checkpoint (every ", config::DurationText(*interval),
                      ")");
}

std::vector<std::string> WatermarkTexts(const Plan& plan) {
  std::vector<std::string> texts;
  for (const PlanNode& node : plan.nodes) {
    std::string text = "none";
    if (const auto* source = std::get_if<SourceSpec>(&node.spec)) {
      if (source->event_time.has_value()) text = EventTimeText(*source->event_time);
    } else if (node.has_event_time) {
      text = texts[node.inputs.front().node];
      for (const PlanInput& input : node.inputs) {
        if (texts[input.node] != text) text = "that of the slowest input";
      }
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string ColumnsText(const std::vector<size_t>& columns, const types::Schema& schema) {
  std::string text;
  for (const size_t column : columns) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", schema.field(column).name);
  }
  return text;
}

StringView PartitioningText(Partitioning partitioning) {
  switch (partitioning) {
    case Partitioning::kForward:
      return "forward";
    case Partitioning::kHash:
      return "hash";
    case Partitioning::kRebalance:
      return "rebalance";
    case Partitioning::kBroadcast:
      return "broadcast";
  }
  return "";
}

StringView ModeText(ChangelogMode mode) {
  switch (mode) {
    case ChangelogMode::kAppend:
      return "append";
    case ChangelogMode::kUpsert:
      return "upsert";
    case ChangelogMode::kRetract:
      return "retract";
  }
  return "";
}

StringView SinkChangelogText(SinkChangelog changelog) {
  switch (changelog) {
    case SinkChangelog::kAppend:
      return "append";
    case SinkChangelog::kLog:
      return "log";
    case SinkChangelog::kInsertOnly:
      return "insert_only";
  }
  return "";
}

std::string RestartText(const RestartOptions& restart) {
  const std::string attempts =
      restart.attempts < 0 ? "unlimited" : absl::StrCat("at most ", restart.attempts, " attempts");
  switch (restart.kind) {
    case RestartKind::kNone:
      return "none";
    case RestartKind::kFixedDelay:
      return absl::StrCat("fixed_delay ", config::DurationText(restart.delay), ", ", attempts);
    case RestartKind::kFailureRate:
      return absl::StrCat("failure_rate, ", attempts, " in ",
                          config::DurationText(restart.interval));
    case RestartKind::kExponentialDelay:
      return absl::StrCat("exponential_delay, ", attempts);
  }
  return "";
}

}  // namespace weir::graph
