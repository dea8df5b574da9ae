// TextEncoder: rows become lines of plain text: the columns' values with a tab between, NULL as
// nothing. For people and for one-column streams; unlike csv it cannot be read back with certainty.
#pragma once

#include <memory>

#include "common/types/row_encoder.h"

namespace weir::types {

std::unique_ptr<RowEncoder> MakeTextEncoder(WithOp with_op);

}  // namespace weir::types
