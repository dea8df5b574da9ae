#include "common/metrics/metric_text.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace weir::metrics {
namespace {

prometheus::ClientMetric ClientMetricOf(const MetricSample& sample, MetricKind kind) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : sample.labels) metric.label.push_back({name, value});
  if (kind == MetricKind::kCounter) {
    metric.counter.value = sample.value;
  } else {
    metric.gauge.value = sample.value;
  }
  return metric;
}

}  // namespace

std::string RenderMetrics(const std::vector<MetricFamily>& families) {
  std::vector<prometheus::MetricFamily> all;
  for (const MetricFamily& family : families) {
    if (family.samples.empty()) continue;
    prometheus::MetricFamily made;
    made.name = family.name;
    made.help = family.help;
    made.type = family.kind == MetricKind::kCounter ? prometheus::MetricType::Counter
                                                    : prometheus::MetricType::Gauge;
    for (const MetricSample& sample : family.samples) {
      made.metric.push_back(ClientMetricOf(sample, family.kind));
    }
    all.push_back(std::move(made));
  }
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace weir::metrics
