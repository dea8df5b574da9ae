// FileSource: one file of lines or records, read in splits, one after the other.
#pragma once

#include <cstddef>
#include <memory>

#include "common/graph/connectors/file_options.h"
#include "common/graph/format.h"
#include "common/types/schema.h"
#include "taskmanager/connectors/split_reader.h"

namespace weir::connectors {

// Bytes of one read.
inline constexpr size_t kFileReadBytes = 256u << 10;

std::unique_ptr<SplitSource> MakeFileSource(graph::FileSourceOptions options,
                                            graph::FormatSpec format, types::SchemaPtr schema);

}  // namespace weir::connectors
