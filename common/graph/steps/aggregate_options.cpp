// The option tables of `aggregate` and its `window`.
#include <absl/strings/str_cat.h>

#include "common/graph/steps/aggregate.h"

namespace weir::graph {

using config::CustomOption;
using config::Diagnostics;
using config::DurationOption;
using config::EnumOption;
using config::Node;
using config::OptionTable;

namespace {

// The types, with an answer for those that other systems have.
struct WindowKindOption {
  EnumOption<WindowKind> kinds;

  bool Read(const Node& node, WindowKind* value, Diagnostics* diagnostics) const {
    const bool is_sliding = node.IsScalar() && node.text() == "sliding";
    if (!is_sliding && !(node.IsScalar() && node.text() == "session")) {
      return kinds.Read(node, value, diagnostics);
    }
    diagnostics->Add(
        config::ErrorAt(node, config::codes::kNotAvailable,
                        absl::StrCat("there is no window of type '", node.text(), "'"))
            .Help(is_sliding ? "windows that overlap are called hopping: {type: hopping, size: 1h, "
                               "slide: 5m}"
                             : "windows that end by a gap between rows are not there; tumbling and "
                               "hopping ones have a fixed size"));
    return false;
  }
  std::string TypeText() const { return kinds.TypeText(); }
  std::string Format(const WindowKind& value) const { return kinds.Format(value); }
};

}  // namespace

const OptionTable<WindowOptions>& WindowTable() {
  static const OptionTable<WindowOptions> table = [] {
    using O = WindowOptions;
    OptionTable<O> t("window", "Groups rows by their event time.");
    t.Add("type", &O::kind,
          WindowKindOption{EnumOption<WindowKind>(
              {{"tumbling", WindowKind::kTumbling}, {"hopping", WindowKind::kHopping}})},
          "tumbling: one after the other; hopping: of one size, one every `slide`.")
        .Required();
    t.Add("size", &O::size, DurationOption{.min = absl::Milliseconds(1)}, "Length of a window.")
        .Required();
    t.Add("slide", &O::slide, DurationOption{.min = absl::Milliseconds(1)},
          "hopping: time from the start of a window to that of the next, at most `size`.")
        .Default("size");
    t.Add("offset", &O::offset, DurationOption{},
          "Moves the start of all windows. Without it they start at multiples of their size (or "
          "slide) since 1970-01-01 UTC.");
    return t;
  }();
  return table;
}

const OptionTable<AggregateOptions>& AggregateTable() {
  static const OptionTable<AggregateOptions> table = [] {
    using O = AggregateOptions;
    OptionTable<O> t("aggregate", "One row per key, or per key and window.");
    t.Include(&O::common, TransformCommonTable());
    t.Add("input", &O::input, SingleInputOption(), kInputDescription).Required();
    t.Add("key_by", &O::key_by,
          CustomOption<std::vector<NamedNode>>{
              .type_text = "a list of columns, or a map of names to expressions", .read = ReadKeys},
          "The key. An empty list makes one global group, at parallelism 1. NULL is a key like "
          "others.")
        .Required();
    t.Add("aggregates", &O::aggregates,
          CustomOption<std::vector<NamedNode>>{.type_text = "a map of names to aggregate calls",
                                               .read = ReadNamedExpressions},
          "count(*), count(x), count(distinct x), sum(x), avg(x), min(x) and max(x), where x is an "
          "expression.")
        .Required();
    t.AddBlock("window", &O::window, WindowTable(),
               "Groups rows by their event time, too; adds the columns window_start and "
               "window_end (exclusive).");
    t.Add("having", &O::having, ExpressionOption(),
          "A condition on the step's own rows; others are left out.")
        .Default("none");
    t.Add("emit", &O::emit,
          EnumOption<EmitMode>({{"on_close", EmitMode::kOnClose},
                                {"updating", EmitMode::kUpdating},
                                {"at_end", EmitMode::kAtEnd}}),
          "on_close: a window's rows when the watermark has passed its end. updating: every change "
          "of a key's row. at_end: one final row per key when the input has ended.")
        .Default("on_close with a window, else updating");
    t.Add("late", &O::late, EnumOption<LateRows>({{"drop", LateRows::kDrop}}),
          "Windowed: what happens to rows that are too late for all their windows: they are "
          "dropped and counted.");
    t.Add("on_error", &O::on_error, OnErrorOption(), kOnErrorDescription);
    return t;
  }();
  return table;
}

}  // namespace weir::graph
