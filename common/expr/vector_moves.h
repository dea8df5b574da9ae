// Moving values between vectors of different rows: what evaluating for some of the rows needs.
#pragma once

#include <absl/types/span.h>

#include "common/expr/vector.h"

namespace weir::expr {

// All null, to be filled by ScatterVector().
Vector NewNulls(const types::DataType& type, size_t size, Arena* arena);

// to[positions[k]] = from[k]. REQUIRES: `to` was made by NewNulls().
void ScatterVector(const Vector& from, absl::Span<const uint32_t> positions, Vector* to);

// result[k] = from[positions[k]].
Vector GatherVector(const Vector& from, absl::Span<const uint32_t> positions, Arena* arena);

}  // namespace weir::expr
