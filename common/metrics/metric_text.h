// Metrics as text that Prometheus reads.
// A daemon makes its families from what it knows at the moment of the question; nothing is counted
// twice, once for people and once here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::metrics {

enum class MetricKind : uint8_t {
  kCounter,  // only rises; its name ends in _total
  kGauge,
};

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

// weir_<room>_<noun>_<unit>[_total]
struct MetricFamily {
  std::string name;
  std::string help;
  MetricKind kind = MetricKind::kGauge;
  std::vector<MetricSample> samples;
};

// The content type that goes with RenderMetrics().
inline constexpr char kMetricContentType[] = "text/plain; version=0.0.4; charset=utf-8";

std::string RenderMetrics(const std::vector<MetricFamily>& families);

}  // namespace weir::metrics
