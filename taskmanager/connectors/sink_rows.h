// SinkRows: which rows of a changelog a sink writes.
#pragma once

#include "common/graph/steps/specs.h"
#include "common/types/record_batch.h"
#include "taskmanager/operators/subtask_context.h"

namespace weir::connectors {

// The batch without the rows that `changelog` does not write. Counts what came in, and deletes that
// insert_only drops.
types::BatchPtr RowsToWrite(const types::BatchPtr& batch, graph::SinkChangelog changelog,
                            operators::OperatorMetrics& metrics);

}  // namespace weir::connectors
