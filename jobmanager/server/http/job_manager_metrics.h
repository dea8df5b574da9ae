// What a jobmanager tells Prometheus.
#pragma once

#include <vector>

#include "common/metrics/metric_text.h"
#include "jobmanager/dispatcher/job_api.h"

namespace weir::server {

// Thread: the control loop's.
std::vector<metrics::MetricFamily> JobManagerMetrics(const dispatcher::JobApi& api);

}  // namespace weir::server
