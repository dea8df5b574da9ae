// The option tables of sources and their event time.
#include <absl/strings/str_cat.h>

#include "common/graph/source_step.h"

namespace weir::graph {
namespace {

using config::CustomOption;
using config::Diagnostics;
using config::DurationOption;
using config::ErrorAtKey;
using config::Node;
using config::NodeOption;
using config::OptionTable;
using config::TextOption;
namespace codes = config::codes;

enum class WatermarkStrategy : uint8_t { kBounded, kAscending, kNone };

// The long form: {strategy, delay}.
struct WatermarkBlock {
  WatermarkStrategy strategy = WatermarkStrategy::kBounded;
  config::Located<absl::Duration> delay;
};

const OptionTable<WatermarkBlock>& WatermarkTable() {
  static const OptionTable<WatermarkBlock> table = [] {
    using O = WatermarkBlock;
    OptionTable<O> t("watermark", "How far behind the newest row the watermark is.");
    t.Add("strategy", &O::strategy,
          config::EnumOption<WatermarkStrategy>({{"bounded", WatermarkStrategy::kBounded},
                                                 {"ascending", WatermarkStrategy::kAscending},
                                                 {"none", WatermarkStrategy::kNone}}),
          "bounded: rows come at most `delay` late; ascending: in order; none: no watermark, so "
          "windows never close.")
        .Required();
    t.Add("delay", &O::delay, DurationOption{}, "bounded: the longest delay of a row.");
    return t;
  }();
  return table;
}

bool ReadWatermark(const Node& node, WatermarkOptions* watermark, Diagnostics* diagnostics) {
  if (!node.IsMap()) return DurationOption{}.Read(node, &watermark->delay, diagnostics);
  WatermarkBlock block;
  if (!WatermarkTable().Read(node, &block, diagnostics)) return false;
  const bool is_bounded = block.strategy == WatermarkStrategy::kBounded;
  if (is_bounded != block.delay.IsSet()) {
    diagnostics->Add(ErrorAtKey(is_bounded ? node : *block.delay.node, codes::kConflictingOptions,
                                is_bounded ? "a bounded watermark needs a `delay`"
                                           : "only a bounded watermark has a `delay`"));
    return false;
  }
  watermark->has_watermark = block.strategy != WatermarkStrategy::kNone;
  watermark->delay = *block.delay;
  return true;
}

bool ReadEventTime(const Node& node, EventTimeOptions* options, Diagnostics* diagnostics) {
  if (!EventTimeTable().Read(node, options, diagnostics)) return false;
  if ((options->column == nullptr) == (options->expr == nullptr)) {
    diagnostics->Add(ErrorAtKey(node, codes::kConflictingOptions,
                                "event_time needs either a `column` or an `expr`"));
    return false;
  }
  return true;
}

}  // namespace

const OptionTable<EventTimeOptions>& EventTimeTable() {
  static const OptionTable<EventTimeOptions> table = [] {
    using O = EventTimeOptions;
    OptionTable<O> t("event_time", "When rows happened, and how far time has come.");
    t.Add("column", &O::column,
          NodeOption{.shape = NodeOption::Shape::kScalar, .type_text = "a column"},
          "A timestamp column; or")
        .Default("none");
    t.Add("expr", &O::expr, ExpressionOption(), "an expression that gives a timestamp.")
        .Default("none");
    config::Option& watermark =
        t.Add("watermark", &O::watermark,
              CustomOption<WatermarkOptions>{.type_text = "a duration or block",
                                             .read = ReadWatermark},
              "How late rows may come: 5s is short for {strategy: bounded, delay: 5s}. A longer "
              "delay loses fewer late rows and closes windows later.")
            .Required();
    watermark.block = &WatermarkTable();
    t.Add("idle_timeout", &O::idle_timeout, DurationOption{},
          "A part of the source without rows for so long does not hold the watermark back; 0s: it "
          "always does.");
    return t;
  }();
  return table;
}

const OptionTable<SourceOptions>& SourceTable() {
  static const OptionTable<SourceOptions> table = [] {
    using O = SourceOptions;
    OptionTable<O> t("source", "Where rows come from.");
    t.Add("connector", &O::connector, TextOption{.type_text = "a connector"}, "file or datagen.")
        .Required();
    t.Add("options", &O::options, LaterOption("a block"), "The connector's own options.");
    t.Add("format", &O::format, LaterOption("a format or block"),
          "How rows lie in the bytes: text, csv or json, or a block with a `type`. datagen has "
          "none.");
    t.Add("schema", &O::schema, TextOption{.type_text = "a schema name"},
          "The columns: a schema of `types`. `text` has its own.");
    t.Add("event_time", &O::event_time,
          CustomOption<EventTimeOptions>{.type_text = "a block", .read = ReadEventTime},
          "When rows happened; windows need it.")
        .block = &EventTimeTable();
    t.Add("on_error", &O::on_error, OnErrorOption(),
          "What happens to a row that cannot be decoded, has NULL in a `not null` column or no "
          "event time: the job fails, or the row is dropped and counted.");
    t.Include(&O::common, StepCommonTable());
    return t;
  }();
  return table;
}

}  // namespace weir::graph
