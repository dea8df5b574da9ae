// Emitting with the operator's counters kept.
#pragma once

#include <utility>

#include "common/types/record_batch.h"
#include "taskmanager/operators/operator.h"

namespace weir::operators {

inline void CountIn(const types::RecordBatch& batch, OperatorMetrics& metrics) {
  OperatorMetrics::Add(metrics.rows_in, static_cast<int64_t>(batch.size()));
}

// REQUIRES: `batch` has rows.
inline void EmitCounted(types::BatchPtr batch, OperatorMetrics& metrics, BatchSink& out) {
  OperatorMetrics::Add(metrics.rows_out, static_cast<int64_t>(batch->size()));
  out.Emit(std::move(batch));
}

}  // namespace weir::operators
