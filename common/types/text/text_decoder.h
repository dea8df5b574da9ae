// TextDecoder: each line is a row of one string column. A line ends with LF or CR LF, which are not
// part of the row. An empty line is a row. A line that is not UTF-8 is an error of that row.
#pragma once

#include <memory>

#include <absl/status/statusor.h>

#include "common/types/row_decoder.h"

namespace weir::types {

// INVALID_ARGUMENT: the schema is not one string column.
absl::StatusOr<std::unique_ptr<RowDecoder>> MakeTextDecoder(const SchemaPtr& schema);

}  // namespace weir::types
