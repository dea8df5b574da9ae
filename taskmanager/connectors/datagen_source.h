// DatagenSource: rows made by formula. Row n belongs to split n mod kDatagenSplitCount; a subtask
// makes the rows of all its splits together, in ascending order of their numbers.
#pragma once

#include <memory>

#include "common/graph/connectors/datagen_options.h"
#include "common/types/schema.h"
#include "taskmanager/connectors/split_reader.h"

namespace weir::connectors {

// REQUIRES: one generator per field.
std::unique_ptr<SplitSource> MakeDatagenSource(graph::DatagenOptions options,
                                               types::SchemaPtr schema);

}  // namespace weir::connectors
