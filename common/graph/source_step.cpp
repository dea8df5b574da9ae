#include "common/graph/source_step.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/config/names.h"
#include "common/graph/binding.h"
#include "common/graph/connectors/catalog.h"
#include "common/graph/format_options.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
namespace codes = config::codes;

// The one column of format `text`.
types::SchemaPtr TextSchema() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"line", types::kStringType, /*nullable=*/false}});
}

// Null: reported, or the schema itself has errors that are.
const RowType* FindRowType(const SourceOptions& options, const std::vector<RowType>& row_types,
                           Diagnostics* diagnostics) {
  if (!options.schema.IsSet()) {
    diagnostics->Add(
        ErrorAt(*options.connector.node, codes::kMissingSchema, "the source needs a `schema`")
            .Help("schema: NAME, with the columns under `types: {NAME: {...}}`"));
    return nullptr;
  }
  std::vector<std::string> names;
  for (const RowType& row_type : row_types) {
    if (row_type.id == *options.schema) return row_type.is_complete ? &row_type : nullptr;
    names.push_back(row_type.id);
  }
  auto error = ErrorAt(*options.schema.node, codes::kUnknownSchema,
                       absl::StrCat("`types` has no schema '", *options.schema, "'"))
                   .Suggest(config::DidYouMean(*options.schema, names));
  if (!names.empty()) {
    error.Help(absl::StrCat("schemas: ", config::JoinNames(names, /*limit=*/20)));
  }
  diagnostics->Add(std::move(error));
  return nullptr;
}

bool BindFormat(const SourceOptions& options, FormatSpec* format, Diagnostics* diagnostics) {
  if (options.format == nullptr) {
    diagnostics->Add(
        ErrorAt(*options.connector.node, codes::kMissingKey,
                absl::StrCat("connector '", *options.connector, "' needs a `format`"))
            .Help("format: text, csv or json, or a block such as {type: csv, header: true}"));
    return false;
  }
  return ReadFormat(*options.format, FormatUse::kRead, format, diagnostics);
}

// The schema of what a file holds. Null: reported.
types::SchemaPtr BindFileRows(const SourceOptions& options, const std::vector<RowType>& row_types,
                              FormatSpec* format, Diagnostics* diagnostics) {
  if (!BindFormat(options, format, diagnostics)) return nullptr;
  if (format->kind == FormatKind::kText) {
    if (!options.schema.IsSet()) return TextSchema();
    diagnostics->Add(ErrorAt(*options.schema.node, codes::kConflictingOptions,
                             "format `text` has a schema of its own: line string not null"));
    return nullptr;
  }
  const RowType* const row_type = FindRowType(options, row_types, diagnostics);
  if (row_type == nullptr || !ApplyColumns(*row_type, format, diagnostics)) return nullptr;
  return row_type->ToSchema();
}

types::SchemaPtr BindFile(const SourceOptions& options, const std::vector<RowType>& row_types,
                          BoundSource* bound, Diagnostics* diagnostics) {
  FileSourceBlock block;
  bound->is_complete = ReadConnectorOptions(*options.connector.node, options.options,
                                            FileSourceTable(), &block, diagnostics);
  types::SchemaPtr schema = BindFileRows(options, row_types, &bound->spec.format, diagnostics);
  bound->state_signature = FileSourceSignature(block.file, bound->spec.format);
  bound->spec.connector = std::move(block.file);
  return schema;
}

types::SchemaPtr BindDatagenRows(const SourceOptions& options,
                                 const std::vector<RowType>& row_types, BoundSource* bound,
                                 Diagnostics* diagnostics) {
  if (options.format != nullptr) {
    diagnostics->Add(config::ErrorAtKey(*options.format, codes::kConflictingOptions,
                                        "connector 'datagen' makes rows, not bytes: it has no "
                                        "`format`"));
  }
  DatagenBlock block;
  bound->is_complete = ReadConnectorOptions(*options.connector.node, options.options,
                                            DatagenTable(), &block, diagnostics);
  const RowType* const row_type = FindRowType(options, row_types, diagnostics);
  if (row_type == nullptr) return nullptr;
  types::SchemaPtr schema = row_type->ToSchema();
  if (!bound->is_complete) return schema;
  absl::optional<DatagenOptions> datagen = BindDatagen(block, *schema, diagnostics);
  bound->is_complete = datagen.has_value();
  if (!bound->is_complete) return schema;
  bound->rows.is_bounded = datagen->count.has_value();
  bound->state_signature = DatagenSignature(*datagen);
  bound->spec.connector = *std::move(datagen);
  return schema;
}

bool BindEventTime(const EventTimeOptions& options, BoundSource* bound, Diagnostics* diagnostics) {
  // That neither is set has been reported.
  if (options.column == nullptr && options.expr == nullptr) return false;
  EventTimeSpec spec;
  const Node& place = options.column != nullptr ? *options.column : *options.expr;
  if (options.column != nullptr) {
    const absl::optional<size_t> column = FindColumn(place, bound->rows, diagnostics);
    if (!column.has_value()) return false;
    spec.expr = ColumnExpr(*bound->rows.schema, *column);
  } else {
    spec.expr = BindNode(place, bound->rows, diagnostics);
    if (spec.expr == nullptr) return false;
  }
  if (spec.expr->type().kind != types::TypeKind::kTimestamp) {
    diagnostics->Add(
        ErrorAt(place, codes::kExpressionType,
                absl::StrCat("event time must be a timestamp, and this is ",
                             spec.expr->type().ToString()))
            .Help("event_time: {expr: \"to_timestamp(text, 'YYYY-MM-DD HH24:MI:SS')\", ...} makes "
                  "one from text"));
    return false;
  }
  spec.has_watermark = options.watermark.has_watermark;
  spec.delay = options.watermark.delay;
  spec.idle_timeout = options.idle_timeout;
  bound->rows.has_event_time = true;
  bound->rows.has_watermark = spec.has_watermark;
  bound->spec.event_time = std::move(spec);
  return true;
}

}  // namespace

absl::optional<BoundSource> BindSource(const SourceOptions& options, StringView step_id,
                                       const std::vector<RowType>& row_types,
                                       Diagnostics* diagnostics) {
  const absl::optional<ConnectorKind> connector =
      FindConnector(*options.connector.node, ConnectorRole::kSource, diagnostics);
  if (!connector.has_value()) return absl::nullopt;
  BoundSource bound;
  bound.spec.on_error = options.on_error;
  bound.rows.step_id = std::string(step_id);
  bound.rows.schema = *connector == ConnectorKind::kFile
                          ? BindFile(options, row_types, &bound, diagnostics)
                          : BindDatagenRows(options, row_types, &bound, diagnostics);
  if (bound.rows.schema == nullptr) return absl::nullopt;
  if (options.event_time.IsSet() && !BindEventTime(*options.event_time, &bound, diagnostics)) {
    // So that windows do not complain as well.
    bound.rows.has_event_time = true;
    bound.rows.has_watermark = true;
    bound.is_complete = false;
  }
  return bound;
}

}  // namespace weir::graph
