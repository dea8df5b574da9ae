// Makes the decoder and encoder that a descriptor's `format` names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/graph/format.h"
#include "common/graph/steps/specs.h"
#include "common/types/row_decoder.h"
#include "common/types/row_encoder.h"
#include "common/types/schema.h"

namespace weir::connectors {

// `header`: a csv file's column names, if the format says that it has a header.
// INVALID_ARGUMENT: paths, header and defaults do not fit the schema; the message says which.
absl::StatusOr<std::unique_ptr<types::RowDecoder>> MakeDecoder(
    const graph::FormatSpec& format, const types::SchemaPtr& schema,
    absl::optional<std::vector<std::string>> header);

// `schema` is of what is written: under SinkChangelog::kLog its last field is `_op`.
std::unique_ptr<types::RowEncoder> MakeEncoder(const graph::FormatSpec& format,
                                               const types::SchemaPtr& schema,
                                               graph::SinkChangelog changelog);

}  // namespace weir::connectors
