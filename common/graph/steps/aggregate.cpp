#include "common/graph/steps/aggregate.h"

#include <algorithm>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/graph/steps/select.h"
#include "common/io/hash.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::ErrorAtKey;
using config::Node;
namespace codes = config::codes;

constexpr const char* kWindowStart = "window_start";
constexpr const char* kWindowEnd = "window_end";

// Of one expression in a signature, which metadata stores and messages show.
constexpr size_t kSignatureTextBytesMax = 200;

// Two of them need a blank between them to stay apart.
bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || c == '"';
}

const Node& StepNode(const AggregateOptions& options) {
  return *options.input.front().node->parent();
}

// The window in numbers. nullopt: reported.
absl::optional<WindowSpec> BindWindow(const config::Located<WindowOptions>& window,
                                      Diagnostics* diagnostics) {
  const WindowOptions& options = *window;
  const bool is_hopping = *options.kind == WindowKind::kHopping;
  if (is_hopping != options.slide.IsSet()) {
    diagnostics->Add(is_hopping
                         ? ErrorAtKey(*window.node, codes::kMissingKey,
                                      "a hopping window needs `slide`, the time from one window "
                                      "to the next")
                         : ErrorAt(*options.slide.node, codes::kConflictingOptions,
                                   "a tumbling window has no `slide`; `type: hopping` has"));
    return absl::nullopt;
  }
  WindowSpec spec;
  spec.size_us = absl::ToInt64Microseconds(*options.size);
  spec.slide_us = is_hopping ? absl::ToInt64Microseconds(*options.slide) : spec.size_us;
  spec.offset_us = absl::ToInt64Microseconds(*options.offset);
  if (spec.slide_us > spec.size_us) {
    diagnostics->Add(ErrorAt(*options.slide.node, codes::kBadWindow,
                             "`slide` is longer than `size`: rows between windows would be lost")
                         .Help("a `slide` of at most `size`; `where` in a `filter` step leaves "
                               "rows out on purpose"));
    return absl::nullopt;
  }
  if (spec.offset_us >= spec.slide_us) {
    diagnostics->Add(
        ErrorAt(*options.offset.node, codes::kBadWindow,
                absl::StrCat("`offset` must be shorter than `", is_hopping ? "slide" : "size", "`"))
            .Help("windows repeat after that time: a longer `offset` means the same as its "
                  "remainder"));
    return absl::nullopt;
  }
  const int64_t windows = (spec.size_us + spec.slide_us - 1) / spec.slide_us;
  if (windows > kWindowsPerRowMax) {
    diagnostics->Add(ErrorAt(*options.slide.node, codes::kBadWindow,
                             absl::StrCat("each row would be in ", windows, " windows; at most ",
                                          kWindowsPerRowMax))
                         .Help("choose a longer `slide` or a shorter `size`"));
    return absl::nullopt;
  }
  return spec;
}

// Whether the input can be windowed.
bool CheckWindowInput(const AggregateOptions& options, const EdgeRows& input,
                      Diagnostics* diagnostics) {
  const Node& place = *options.window.node;
  if (input.changelog.IsUpdating()) {
    diagnostics->Add(ErrorAtKey(place, codes::kUpdatingInput,
                                absl::StrCat("a window needs rows that stay as they are, but '",
                                             input.step_id, "' is an updating stream"))
                         .Because("a row of a closed window cannot be taken back")
                         .Help("put the window on the rows before they are aggregated"));
    return false;
  }
  if (!input.has_event_time) {
    diagnostics->Add(ErrorAtKey(place, codes::kMissingEventTime,
                                absl::StrCat("a window needs event time, and the rows of '",
                                             input.step_id, "' have none"))
                         .Help("say at the source where it comes from: event_time: {column: ts, "
                               "watermark: 5s}"));
    return false;
  }
  if (!input.has_watermark) {
    diagnostics->Add(ErrorAtKey(place, codes::kMissingEventTime,
                                "a window closes by the watermark, and a source has `watermark: "
                                "{strategy: none}`")
                         .Help("a bounded watermark: watermark: 5s"));
    return false;
  }
  return true;
}

// Options that need a window or exclude one.
bool CheckEmission(const AggregateOptions& options, const EdgeRows& input,
                   Diagnostics* diagnostics) {
  bool is_good = true;
  const bool is_windowed = options.window.IsSet();
  if (!is_windowed && options.late.IsSet()) {
    diagnostics->Add(
        ErrorAtKey(*options.late.node, codes::kConflictingOptions, "`late` needs a `window`"));
    is_good = false;
  }
  if (!options.emit.IsSet()) return is_good;
  if (is_windowed != (*options.emit == EmitMode::kOnClose)) {
    diagnostics->Add(
        ErrorAt(*options.emit.node, codes::kConflictingOptions,
                is_windowed ? "a windowed aggregate emits on_close, when its window is complete"
                            : "`emit: on_close` needs a `window`; without one it is updating or "
                              "at_end"));
    return false;
  }
  if (*options.emit == EmitMode::kAtEnd && !input.is_bounded) {
    diagnostics->Add(ErrorAt(*options.emit.node, codes::kConflictingOptions,
                             absl::StrCat("`emit: at_end` would never emit, because '",
                                          input.step_id, "' never ends"))
                         .Help("emit: updating gives every change at once; a `window` gives rows "
                               "as it closes"));
    return false;
  }
  return is_good;
}

AggregateFunction FunctionOf(const expr::BoundAggregate& call) {
  switch (call.kind) {
    case expr::AggregateKind::kCount:
      if (call.argument == nullptr) return AggregateFunction::kCountAll;
      return call.is_distinct ? AggregateFunction::kCountDistinct : AggregateFunction::kCount;
    case expr::AggregateKind::kSum:
      return AggregateFunction::kSum;
    case expr::AggregateKind::kAvg:
      return AggregateFunction::kAvg;
    case expr::AggregateKind::kMin:
      return AggregateFunction::kMin;
    case expr::AggregateKind::kMax:
      return AggregateFunction::kMax;
  }
  return AggregateFunction::kCountAll;
}

// Builds the projected columns and the calls over them.
class AggregateBinder {
 public:
  AggregateBinder(const EdgeRows& input, BoundAggregateStep* bound, Diagnostics* diagnostics)
      : input_(input), bound_(*bound), diagnostics_(*diagnostics) {}

  bool BindKey(const NamedNode& key) {
    expr::BoundExprPtr bound;
    if (key.is_column && IsExpression(*key.expr_node)) return false;
    if (key.is_column) {
      const absl::optional<size_t> column = FindColumn(*key.expr_node, input_, &diagnostics_);
      if (!column.has_value()) return false;
      bound = ColumnExpr(*input_.schema, *column);
    } else {
      bound = BindNode(*key.expr_node, input_, &diagnostics_);
      if (bound == nullptr) return false;
    }
    if (!ExpectColumnType(*key.expr_node, key.name, bound->type(), &diagnostics_)) return false;
    bound_.project.columns.push_back({key.name, bound});
    bound_.key_texts.push_back(SignatureText(key.expr_node->text()));
    return AddField(*key.name_node, {key.name, bound->type(), bound->nullable()});
  }

  void AddWindowColumns(const Node& window) {
    AddField(window, {kWindowStart, types::kTimestampType, /*nullable=*/false});
    AddField(window, {kWindowEnd, types::kTimestampType, /*nullable=*/false});
  }

  bool BindCall(const NamedNode& named) {
    const absl::optional<expr::BoundAggregate> call =
        BindAggregateNode(*named.expr_node, input_, &diagnostics_);
    if (!call.has_value()) return false;
    AggregateCall& spec = bound_.spec.aggregates.emplace_back();
    spec.function = FunctionOf(*call);
    spec.result_type = call->result_type;
    if (call->argument != nullptr) {
      const types::DataType& type = call->argument->type();
      if (!ExpectColumnType(*named.expr_node, "argument", type, &diagnostics_)) return false;
      spec.argument = Project(call->argument);
      spec.argument_type = type;
    }
    bound_.call_texts.push_back(SignatureText(named.expr_node->text()));
    return AddField(*named.name_node, {named.name, call->result_type, call->nullable});
  }

  // An aggregate without key and arguments still needs rows to count: rows have a column.
  void ProjectSomething() {
    if (bound_.project.columns.empty()) Project(ColumnExpr(*input_.schema, 0));
  }

  std::vector<types::Field> TakeFields() { return std::move(fields_); }

 private:
  // Reports an entry of a list of columns that cannot be the name of one.
  bool IsExpression(const Node& entry) {
    const bool is_name = input_.schema->Find(entry.text()).has_value() ||
                         entry.text().find_first_of("(+-*/|: ") == std::string::npos;
    if (is_name) return false;
    diagnostics_.Add(ErrorAt(entry, codes::kUnknownColumn,
                             absl::StrCat("'", input_.step_id, "' has no column '", entry.text(),
                                          "', and a list has no expressions"))
                         .Help(absl::StrCat("a computed key has a name: key_by: {key: \"",
                                            entry.text(), "\"}")));
    return true;
  }

  bool AddField(const Node& place, types::Field field) {
    const auto same_name = [&field](const types::Field& other) { return other.name == field.name; };
    if (std::any_of(fields_.begin(), fields_.end(), same_name)) {
      diagnostics_.Add(ErrorAt(place, codes::kDuplicateColumn,
                               absl::StrCat("the step makes a column '", field.name, "' twice")));
      return false;
    }
    fields_.push_back(std::move(field));
    return true;
  }

  // The projected column with an argument's values: one a bare column, however often it is used.
  size_t Project(expr::BoundExprPtr argument) {
    std::vector<NamedExpr>& columns = bound_.project.columns;
    const absl::optional<size_t> source = argument->column();
    for (size_t i = bound_.spec.key_count; source.has_value() && i < columns.size(); ++i) {
      if (columns[i].expr->column() == source) return i;
    }
    std::string name =
        source.has_value() ? input_.schema->field(*source).name : NumberedName(columns.size());
    const auto is_taken = [&name](const NamedExpr& column) { return column.name == name; };
    if (std::any_of(columns.begin(), columns.end(), is_taken)) name = NumberedName(columns.size());
    columns.push_back({std::move(name), std::move(argument)});
    return columns.size() - 1;
  }

  // No user's column begins with a digit.
  static std::string NumberedName(size_t index) { return absl::StrCat(index, "_argument"); }

  const EdgeRows& input_;
  BoundAggregateStep& bound_;
  Diagnostics& diagnostics_;
  std::vector<types::Field> fields_;
};

void FinishRows(StringView step_id, const EdgeRows& input, std::vector<types::Field> fields,
                BoundAggregateStep* bound) {
  const AggregateSpec& spec = bound->spec;
  bound->projected = input;
  bound->projected.schema = SelectSchema(bound->project);
  bound->projected.changelog = SelectChangelog(bound->project, input.changelog);
  bound->rows = input;
  bound->rows.step_id = std::string(step_id);
  bound->rows.schema = std::make_shared<const types::Schema>(std::move(fields));
  bound->rows.changelog = {};
  if (spec.emit == EmitMode::kUpdating) {
    bound->rows.changelog.mode = ChangelogMode::kUpsert;
    for (size_t i = 0; i < spec.key_count; ++i) bound->rows.changelog.key.push_back(i);
  }
  bound->rows.has_event_time = spec.window.has_value();
  bound->rows.has_watermark = spec.window.has_value();
}

}  // namespace

absl::optional<BoundAggregateStep> BindAggregateStep(const AggregateOptions& options,
                                                     StringView step_id, const EdgeRows& input,
                                                     Diagnostics* diagnostics) {
  BoundAggregateStep bound;
  AggregateSpec& spec = bound.spec;
  bool is_good = CheckEmission(options, input, diagnostics);
  spec.emit = options.window.IsSet() ? EmitMode::kOnClose : *options.emit;
  spec.input_is_updating = input.changelog.IsUpdating();
  spec.on_error = options.on_error;
  bound.project.on_error = options.on_error;
  if (options.window.IsSet()) {
    is_good &= CheckWindowInput(options, input, diagnostics);
    spec.window = BindWindow(options.window, diagnostics);
    is_good &= spec.window.has_value();
  }
  AggregateBinder binder(input, &bound, diagnostics);
  for (const NamedNode& key : options.key_by) is_good &= binder.BindKey(key);
  spec.key_count = bound.project.columns.size();
  if (options.window.IsSet()) binder.AddWindowColumns(*options.window.node->key());
  for (const NamedNode& named : options.aggregates) is_good &= binder.BindCall(named);
  if (options.aggregates.empty()) {
    diagnostics->Add(ErrorAtKey(StepNode(options), codes::kMissingKey,
                                "an aggregate needs at least one entry in `aggregates`"));
    is_good = false;
  }
  if (!is_good) return absl::nullopt;
  binder.ProjectSomething();
  FinishRows(step_id, input, binder.TakeFields(), &bound);
  if (options.having != nullptr) {
    bound.having = BindPredicateNode(*options.having, bound.rows, diagnostics);
    if (bound.having == nullptr) return absl::nullopt;
  }
  if (!input.is_bounded && spec.emit == EmitMode::kUpdating && spec.key_count > 0) {
    diagnostics->Add(config::WarningAt(StepNode(options), codes::kUnboundedState,
                                       absl::StrCat("state of '", step_id,
                                                    "' grows with every "
                                                    "new key, and its input never ends")));
  }
  return bound;
}

std::string AggregateCallText(const AggregateCall& call) {
  const std::string argument = call.argument_type.ToString();
  switch (call.function) {
    case AggregateFunction::kCountAll:
      return "count(*)";
    case AggregateFunction::kCount:
      return absl::StrCat("count(", argument, ")");
    case AggregateFunction::kCountDistinct:
      return absl::StrCat("count(distinct ", argument, ")");
    case AggregateFunction::kSum:
      return absl::StrCat("sum(", argument, ")");
    case AggregateFunction::kAvg:
      return absl::StrCat("avg(", argument, ")");
    case AggregateFunction::kMin:
      return absl::StrCat("min(", argument, ")");
    case AggregateFunction::kMax:
      return absl::StrCat("max(", argument, ")");
  }
  return "";
}

std::string SignatureText(StringView expression) {
  std::string text;
  char quote = 0;  // of what we are inside
  bool blank = false;
  for (const char c : expression) {
    if (quote == 0 && absl::ascii_isspace(static_cast<unsigned char>(c))) {
      blank = true;
      continue;
    }
    if (blank && !text.empty() && IsWordCharacter(text.back()) && IsWordCharacter(c)) text += ' ';
    blank = false;
    if (quote == c) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
    text += c;
  }
  if (text.size() <= kSignatureTextBytesMax) return text;
  const std::string hash = absl::StrCat(absl::Hex(io::Xxh3(text), absl::kZeroPad16));
  return absl::StrCat(text.substr(0, kSignatureTextBytesMax / 2), "...#", hash);
}

std::string AggregateSignature(const BoundAggregateStep& step) {
  const AggregateSpec& spec = step.spec;
  std::string text = "aggregate keys=(";
  for (size_t i = 0; i < spec.key_count; ++i) {
    const types::Field& field = step.projected.schema->field(i);
    absl::StrAppend(&text, i == 0 ? "" : ", ", step.key_texts[i], ": ", field.type.ToString(),
                    field.nullable ? "" : " not null");
  }
  absl::StrAppend(&text, ")");
  if (spec.window.has_value()) {
    absl::StrAppend(&text, " window=", spec.window->size_us, "us/", spec.window->slide_us, "us+",
                    spec.window->offset_us, "us");
  }
  absl::StrAppend(&text, " calls=(");
  for (size_t i = 0; i < spec.aggregates.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", step.call_texts[i], ": ",
                    AggregateCallText(spec.aggregates[i]));
  }
  return absl::StrCat(text, ") emit=",
                      spec.emit == EmitMode::kOnClose    ? "on_close"
                      : spec.emit == EmitMode::kUpdating ? "updating"
                                                         : "at_end",
                      spec.input_is_updating ? " input=updating" : "");
}

}  // namespace weir::graph
