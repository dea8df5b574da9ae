// What must hold: Prometheus can read what is rendered, whatever stands in a label.
#include "common/metrics/metric_text.h"

#include <catch2/catch.hpp>

namespace weir::metrics {
namespace {

TEST_CASE("metrics render as Prometheus text with labels escaped", "[metrics][unit]") {
  const std::string text = RenderMetrics(
      {{.name = "weir_job_rows_total",
        .help = "Rows.",
        .kind = MetricKind::kCounter,
        .samples = {{.labels = {{"job", "a\"b\\c\nd"}}, .value = 3}, {.labels = {}, .value = 4.5}}},
       {.name = "weir_none", .help = "A family without samples is left out."}});
  CHECK(text ==
        "# HELP weir_job_rows_total Rows.\n"
        "# TYPE weir_job_rows_total counter\n"
        "weir_job_rows_total{job=\"a\\\"b\\\\c\\nd\"} 3\n"
        "weir_job_rows_total 4.5\n");
}

}  // namespace
}  // namespace weir::metrics
