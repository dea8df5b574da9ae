// RowType: one schema of the descriptor's `types` block, with what decoders need beyond the types.
#pragma once

#include <string>
#include <vector>

#include "common/config/option_table.h"
#include "common/graph/format.h"
#include "common/types/schema.h"

namespace weir::graph {

// The long form of a column: {type, from, default, description}.
struct ColumnOptions {
  config::Located<std::string> type;
  config::Located<std::string> from;
  const config::Node* default_value = nullptr;
  std::string description;
};

const config::OptionTable<ColumnOptions>& ColumnTable();

struct RowColumn {
  types::Field field;
  const config::Node* node = nullptr;           // the column's value: short or long form
  const config::Node* from = nullptr;           // null: the column's name
  const config::Node* default_value = nullptr;  // null: NULL
};

// Life: points into the document it was read from.
struct RowType {
  std::string id;
  std::vector<RowColumn> columns;
  // False: some column had an error, so that nothing can be said about the rows.
  bool is_complete = true;

  types::SchemaPtr ToSchema() const;
};

// Reads `types`. Everything that is wrong is reported; what is readable is returned.
std::vector<RowType> ReadTypes(const config::Node& node, config::Diagnostics* diagnostics);

// Parses "decimal(12,2) not null" into type and nullability. False: reported.
bool ReadColumnType(const config::Node& node, types::Field* field,
                    config::Diagnostics* diagnostics);

// Whether a key may name a column: [A-Za-z_][A-Za-z0-9_]*, at most 63 bytes.
bool ExpectColumnName(const config::Node& key, config::Diagnostics* diagnostics);

// Gives `format` each column's place and default, and checks that they suit it. False: reported.
bool ApplyColumns(const RowType& row_type, FormatSpec* format, config::Diagnostics* diagnostics);

// Whether `text` is a value of `type`, as formats write it.
bool IsValueOf(const types::DataType& type, StringView text);

}  // namespace weir::graph
