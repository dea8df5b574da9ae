// Stored end: how the end of a job becomes durable, in an order that a crash at any point leaves to
// be finished.
#pragma once

#include <absl/status/status.h>

#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"
#include "jobmanager/dispatcher/job_stores.h"

namespace weir::dispatcher {

// Removes what nobody needs of a job whose result is stored, its graph the last: until that is gone
// it can be called again, also by another process. Blocks. Codes of the stores.
absl::Status FinishEnd(const coordination::EndedJob& result, JobStores& stores,
                       coordination::JobGraphStore& graphs);

// The result first of all: whoever finds it only cleans up. Blocks. Codes of the stores.
absl::Status StoreEnd(const coordination::EndedJob& result, JobStores& stores,
                      coordination::JobGraphStore& graphs, coordination::JobResultStore& results);

}  // namespace weir::dispatcher
