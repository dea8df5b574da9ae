// CsvDecoder: csv records (RFC 4180, UTF-8) become rows.
// Quoted fields may hold delimiters, line feeds and doubled quotes. Lines end with LF or CR LF. An
// unquoted field with the null text is NULL, or the column's default if it has one; a quoted field
// never is. An empty line is skipped if there is more than one column.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/types/row_decoder.h"

namespace weir::types {

struct CsvDecodeOptions {
  char delimiter = ',';
  std::string null_text;
  std::vector<ColumnSource> sources;  // one per column
  // The names in the file's header. Columns are found by them; fields no column asks for are
  // dropped. nullopt: no header, fields are columns in order.
  absl::optional<std::vector<std::string>> header;
};

// INVALID_ARGUMENT: a column that the header lacks and that has no default, a name that the header
// has twice, or a default that is not a value of its column.
absl::StatusOr<std::unique_ptr<RowDecoder>> MakeCsvDecoder(const SchemaPtr& schema,
                                                           CsvDecodeOptions options);

}  // namespace weir::types
