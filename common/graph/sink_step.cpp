#include "common/graph/sink_step.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/config/list_kinds.h"
#include "common/graph/connectors/blackhole.h"
#include "common/graph/connectors/catalog.h"
#include "common/graph/connectors/stdout.h"
#include "common/graph/format_options.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
using config::OptionTable;
using config::TextOption;
namespace codes = config::codes;

const config::EnumOption<SinkChangelog>& ChangelogOption() {
  static const config::EnumOption<SinkChangelog> option(
      {{"append", SinkChangelog::kAppend},
       {"log", SinkChangelog::kLog},
       {"insert_only", SinkChangelog::kInsertOnly}});
  return option;
}

// What to do with an updating input.
void AddChangelogHelp(config::Diagnostic* diagnostic) {
  diagnostic->Help("write the change log            changelog: log");
  diagnostic->Help("or drop deletes knowingly       changelog: insert_only");
  diagnostic->Help(
      "or make rows final              `emit: at_end`, or a `window`, in the aggregate");
}

bool ReadChangelog(const Node& node, SinkChangelog* changelog, Diagnostics* diagnostics) {
  if (node.IsScalar() && (node.text() == "upsert" || node.text() == "debezium")) {
    config::Diagnostic error =
        ErrorAt(node, codes::kNotAvailable,
                absl::StrCat("`changelog: ", node.text(), "` is not available in this version"));
    AddChangelogHelp(&error);
    diagnostics->Add(std::move(error));
    return false;
  }
  return ChangelogOption().Read(node, changelog, diagnostics);
}

bool BindSinkFormat(const SinkOptions& options, ConnectorKind connector, FormatSpec* format,
                    Diagnostics* diagnostics) {
  const bool is_set = options.format != nullptr;
  if (connector == ConnectorKind::kBlackhole) {
    if (!is_set) return true;
    diagnostics->Add(config::ErrorAtKey(*options.format, codes::kConflictingOptions,
                                        "connector 'blackhole' writes nothing: it has no "
                                        "`format`"));
    return false;
  }
  format->kind = FormatKind::kJson;
  if (is_set) return ReadFormat(*options.format, FormatUse::kWrite, format, diagnostics);
  if (connector == ConnectorKind::kStdout) return true;
  diagnostics->Add(
      ErrorAt(*options.connector.node, codes::kMissingKey, "connector 'file' needs a `format`")
          .Help("format: csv or json, or a block such as {type: csv, header: true}"));
  return false;
}

bool BindConnector(const SinkOptions& options, ConnectorKind connector, BoundSink* bound,
                   Diagnostics* diagnostics) {
  const Node& place = *options.connector.node;
  switch (connector) {
    case ConnectorKind::kFile:
      return ReadConnectorOptions(place, options.options, FileSinkTable(),
                                  &bound->spec.connector.emplace<FileSinkOptions>(), diagnostics);
    case ConnectorKind::kStdout:
      return ReadConnectorOptions(place, options.options, StdoutTable(),
                                  &bound->spec.connector.emplace<StdoutOptions>(), diagnostics);
    case ConnectorKind::kBlackhole:
      return ReadConnectorOptions(place, options.options, BlackholeTable(),
                                  &bound->spec.connector.emplace<BlackholeOptions>(), diagnostics);
    case ConnectorKind::kDatagen:
      break;
  }
  return false;
}

}  // namespace

const OptionTable<SinkOptions>& SinkTable() {
  static const OptionTable<SinkOptions> table = [] {
    using O = SinkOptions;
    OptionTable<O> t("sink", "Where rows go.");
    t.Add("connector", &O::connector, TextOption{.type_text = "a connector"},
          "file, stdout or blackhole.")
        .Required();
    t.Add("input", &O::inputs,
          config::TextListOption{
              .may_be_single = true, .min_count = 1, .type_text = "step id, or list of them"},
          "The step whose rows it writes; a list unites several with the same columns.")
        .Required();
    t.Add("options", &O::options, LaterOption("a block"), "The connector's own options.");
    t.Add("format", &O::format, LaterOption("a format or block"),
          "How rows are written: csv or json, or a block with a `type`. stdout: json if nothing is "
          "said; blackhole has none.");
    t.Add("changelog", &O::changelog,
          config::CustomOption<SinkChangelog>{
              .type_text = ChangelogOption().TypeText(),
              .read = ReadChangelog,
              .format = [](const SinkChangelog& value) { return ChangelogOption().Format(value); }},
          "append: the input must not be updating. log: every change as a row, with a last column "
          "`_op` = insert, update_before, update_after or delete. insert_only: inserts and "
          "update_after; deletes are dropped and counted.");
    t.Add("on_error", &O::on_error, OnErrorOption(),
          "What happens to a row that cannot be written: the job fails, or the row is dropped and "
          "counted.");
    t.Include(&O::common, StepCommonTable());
    return t;
  }();
  return table;
}

absl::optional<BoundSink> BindSink(const SinkOptions& options, Diagnostics* diagnostics) {
  const absl::optional<ConnectorKind> connector =
      FindConnector(*options.connector.node, ConnectorRole::kSink, diagnostics);
  if (!connector.has_value()) return absl::nullopt;
  BoundSink bound;
  bound.spec.changelog = *options.changelog;
  bound.spec.on_error = options.on_error;
  bool is_good = BindConnector(options, *connector, &bound, diagnostics);
  is_good &= BindSinkFormat(options, *connector, &bound.spec.format, diagnostics);
  if (!is_good) return absl::nullopt;
  if (*connector == ConnectorKind::kFile) {
    bound.state_signature = FileSinkSignature(bound.spec.format);
  }
  return bound;
}

bool BindSinkInput(const SinkOptions& options, StringView step_id, const EdgeRows& input,
                   const std::vector<std::string>& because, BoundSink* bound,
                   Diagnostics* diagnostics) {
  const SinkChangelog changelog = *options.changelog;
  bound->schema = input.schema;
  if (changelog == SinkChangelog::kAppend && input.changelog.IsUpdating()) {
    const bool is_set = options.changelog.IsSet();
    std::string message = absl::StrCat("sink '", step_id,
                                       "' writes append rows, but its input is an updating stream");
    config::Diagnostic error =
        is_set ? ErrorAt(*options.changelog.node, codes::kSinkChangelog, std::move(message))
               : config::ErrorAtKey(*options.connector.node, codes::kSinkChangelog,
                                    std::move(message));
    if (!is_set) {
      error.Label(
          absl::StrCat("connector '", *options.connector, "' defaults to `changelog: append`"));
    }
    for (const std::string& line : because) error.Because(line);
    AddChangelogHelp(&error);
    diagnostics->Add(std::move(error));
    return false;
  }
  if (changelog == SinkChangelog::kInsertOnly && input.changelog.IsUpdating()) {
    diagnostics->Add(config::NoteAt(*options.changelog.node, codes::kDroppedChanges,
                                    absl::StrCat("sink '", step_id, "' drops the deletes of '",
                                                 input.step_id, "' on purpose")));
  }
  if (changelog != SinkChangelog::kLog) return true;
  if (input.schema->Find(kChangeColumn).has_value()) {
    diagnostics->Add(ErrorAt(*options.changelog.node, codes::kDuplicateColumn,
                             absl::StrCat("`changelog: log` adds a column '", kChangeColumn,
                                          "', and '", input.step_id, "' has one already")));
    return false;
  }
  std::vector<types::Field> fields = input.schema->fields();
  fields.push_back({kChangeColumn, types::kStringType, /*nullable=*/false});
  bound->schema = std::make_shared<const types::Schema>(std::move(fields));
  return true;
}

std::string ChangelogText(const Changelog& changelog, const types::Schema& schema) {
  switch (changelog.mode) {
    case ChangelogMode::kAppend:
      return "append";
    case ChangelogMode::kRetract:
      return "retract";
    case ChangelogMode::kUpsert:
      break;
  }
  std::string names;
  for (const size_t column : changelog.key) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", schema.field(column).name);
  }
  return absl::StrCat("upsert key(", names, ")");
}

}  // namespace weir::graph
