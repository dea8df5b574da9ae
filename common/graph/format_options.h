// The option tables of formats, and reading of `format:` as a name or a block.
#pragma once

#include <string>

#include "common/config/option_table.h"
#include "common/graph/format.h"

namespace weir::graph {

enum class FormatUse : uint8_t { kRead, kWrite };

// A format's own block: `type` and what belongs to it.
struct FormatOptions {
  std::string type;
  FormatSpec spec;
};

const config::OptionTable<FormatOptions>& TextFormatTable();
const config::OptionTable<FormatOptions>& CsvFormatTable();
const config::OptionTable<FormatOptions>& JsonFormatTable();

// "text", "csv", "json".
StringView FormatName(FormatKind kind);

// Reads a name, or a map with a `type`. False: reported.
bool ReadFormat(const config::Node& node, FormatUse use, FormatSpec* format,
                config::Diagnostics* diagnostics);

}  // namespace weir::graph
