#include "jobmanager/dispatcher/stored_end.h"

#include "common/base/status_macros.h"

namespace weir::dispatcher {

absl::Status FinishEnd(const coordination::EndedJob& result, JobStores& stores,
                       coordination::JobGraphStore& graphs) {
  WEIR_RETURN_IF_ERROR(stores.checkpoints->Shutdown(result.end));
  WEIR_RETURN_IF_ERROR(stores.counter->Stop(result.end));
  return graphs.Remove(result.id);
}

absl::Status StoreEnd(const coordination::EndedJob& result, JobStores& stores,
                      coordination::JobGraphStore& graphs, coordination::JobResultStore& results) {
  WEIR_RETURN_IF_ERROR(results.Put(result));
  return FinishEnd(result, stores, graphs);
}

}  // namespace weir::dispatcher
