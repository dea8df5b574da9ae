// Connector `file`: what it is called as source and as sink.
// State of a source: the position in each split; fits while path and format stay. State of a sink:
// its parts; fits while the format stays.
#pragma once

#include "common/config/option_table.h"
#include "common/graph/connectors/file_options.h"
#include "common/graph/format.h"

namespace weir::graph {

enum class ScanMode : uint8_t { kOnce };

struct FileSourceBlock {
  FileSourceOptions file;
  ScanMode scan = ScanMode::kOnce;  // says only that the file is not watched
};

const config::OptionTable<FileSourceBlock>& FileSourceTable();
const config::OptionTable<FileSinkOptions>& FileSinkTable();

// A path without `.`, `..`, empty names and a `/` at its end, as far as its text alone tells.
std::string NormalPath(StringView path);

// See PlanNode::state_signature.
std::string FileSourceSignature(const FileSourceOptions& options, const FormatSpec& format);
std::string FileSinkSignature(const FormatSpec& format);

}  // namespace weir::graph
