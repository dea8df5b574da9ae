// Datagen values: column values as pure functions of (seed, column, row number).
// Frozen: a job that is restored, also by another build or on another machine, makes the same rows
// again. Golden values: tests/unit/taskmanager/connectors/datagen_values_test.cpp.
#pragma once

#include <cstdint>

#include <absl/status/statusor.h>
#include <absl/types/span.h>

#include "common/graph/connectors/datagen_options.h"
#include "common/types/column.h"
#include "common/types/schema.h"

namespace weir::connectors {

// The values of field number `column` for the rows `row_numbers`.
// OUT_OF_RANGE: a sequence leaves the column's type; names the column and the row.
// REQUIRES: min <= max, length >= 0, distinct >= 0.
absl::StatusOr<types::ColumnPtr> GenerateColumn(const graph::GeneratorSpec& generator,
                                                const types::Field& field, size_t column,
                                                int64_t seed,
                                                absl::Span<const int64_t> row_numbers);

}  // namespace weir::connectors
