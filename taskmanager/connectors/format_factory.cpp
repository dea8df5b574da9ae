#include "taskmanager/connectors/format_factory.h"

#include <utility>

#include "common/base/check.h"
#include "common/types/csv/csv_decoder.h"
#include "common/types/csv/csv_encoder.h"
#include "common/types/json/json_decoder.h"
#include "common/types/json/json_encoder.h"
#include "common/types/text/text_decoder.h"
#include "common/types/text/text_encoder.h"

namespace weir::connectors {
namespace {

std::vector<types::ColumnSource> SourcesOf(const graph::FormatSpec& format, size_t columns) {
  std::vector<types::ColumnSource> sources(columns);
  for (size_t i = 0; i < columns; ++i) {
    if (i < format.from.size()) sources[i].from = format.from[i];
    if (i < format.defaults.size()) sources[i].default_text = format.defaults[i];
  }
  return sources;
}

}  // namespace

absl::StatusOr<std::unique_ptr<types::RowDecoder>> MakeDecoder(
    const graph::FormatSpec& format, const types::SchemaPtr& schema,
    absl::optional<std::vector<std::string>> header) {
  switch (format.kind) {
    case graph::FormatKind::kText:
      return types::MakeTextDecoder(schema);
    case graph::FormatKind::kCsv: {
      types::CsvDecodeOptions options;
      options.delimiter = format.delimiter;
      options.null_text = format.null_text;
      options.sources = SourcesOf(format, schema->size());
      options.header = std::move(header);
      return types::MakeCsvDecoder(schema, std::move(options));
    }
    case graph::FormatKind::kJson: {
      types::JsonDecodeOptions options;
      if (format.unknown_fields == graph::UnknownFields::kFail) {
        options.unknown_fields = types::UnknownJsonFields::kFail;
      }
      options.sources = SourcesOf(format, schema->size());
      return types::MakeJsonDecoder(schema, std::move(options));
    }
  }
  return absl::InternalError("an unknown format");
}

std::unique_ptr<types::RowEncoder> MakeEncoder(const graph::FormatSpec& format,
                                               const types::SchemaPtr& schema,
                                               graph::SinkChangelog changelog) {
  const types::WithOp with_op =
      changelog == graph::SinkChangelog::kLog ? types::WithOp::kYes : types::WithOp::kNo;
  switch (format.kind) {
    case graph::FormatKind::kText:
      return types::MakeTextEncoder(with_op);
    case graph::FormatKind::kCsv:
      return types::MakeCsvEncoder(
          schema,
          {.delimiter = format.delimiter, .null_text = format.null_text, .header = format.header},
          with_op);
    case graph::FormatKind::kJson:
      return types::MakeJsonEncoder(schema, with_op);
  }
  WEIR_CHECK(false);
  return nullptr;
}

}  // namespace weir::connectors
