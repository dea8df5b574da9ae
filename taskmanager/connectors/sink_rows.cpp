#include "taskmanager/connectors/sink_rows.h"

#include <utility>

#include "taskmanager/operators/counted_emit.h"

namespace weir::connectors {

types::BatchPtr RowsToWrite(const types::BatchPtr& batch, graph::SinkChangelog changelog,
                            operators::OperatorMetrics& metrics) {
  operators::CountIn(*batch, metrics);
  if (changelog != graph::SinkChangelog::kInsertOnly || !batch->HasChanges()) return batch;
  types::PodVector<uint32_t> kept;
  kept.reserve(batch->size());
  int64_t deletes = 0;
  for (const uint32_t row : batch->rows()) {
    const types::ChangeKind kind = batch->change(row);
    if (types::IsAddition(kind)) kept.push_back(row);
    // An update's row before is no loss: the row after says what came of it.
    if (kind == types::ChangeKind::kDelete) ++deletes;
  }
  if (deletes > 0) operators::OperatorMetrics::Add(metrics.deletes_dropped, deletes);
  return types::RecordBatch::Select(*batch, std::move(kept));
}

}  // namespace weir::connectors
