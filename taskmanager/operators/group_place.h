// Group place: which result of which group a message is about.
#pragma once

#include <string>

#include <absl/types/span.h>

#include "common/types/column.h"
#include "taskmanager/operators/group_emitter.h"

namespace weir::operators {

// "column 'total', key (auction = 7, channel = 'x')": aggregate number `aggregate` of the step, for
// the group whose key stands in row `row` of `keys`, one column per key column. Long keys are cut.
std::string PlaceOfResult(const GroupPlan& plan, size_t aggregate,
                          absl::Span<const types::ColumnPtr> keys, size_t row);

// The same for the group of physical row `row` of a batch that begins with the key columns.
std::string PlaceOfResult(const GroupPlan& plan, size_t aggregate, const types::RecordBatch& batch,
                          size_t row);

}  // namespace weir::operators
