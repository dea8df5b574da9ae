#include "taskmanager/connectors/factory.h"

#include <unistd.h>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "taskmanager/connectors/blackhole_sink.h"
#include "taskmanager/connectors/datagen_source.h"
#include "taskmanager/connectors/file_sink.h"
#include "taskmanager/connectors/file_source.h"
#include "taskmanager/connectors/format_factory.h"
#include "taskmanager/connectors/source_driver.h"
#include "taskmanager/connectors/stdout_sink.h"

namespace weir::connectors {

absl::StatusOr<std::unique_ptr<operators::SourceOperator>> MakeSource(const graph::PlanNode& node) {
  const graph::SourceSpec& spec = std::get<graph::SourceSpec>(node.spec);
  SourceDriverOptions options;
  options.step_id = node.step_id;
  options.event_time = spec.event_time;
  options.on_error = spec.on_error;
  if (const auto* file = std::get_if<graph::FileSourceOptions>(&spec.connector)) {
    options.rows_per_second = file->rate;
    return MakeSourceDriver(std::move(options), MakeFileSource(*file, spec.format, node.schema));
  }
  const auto& datagen = std::get<graph::DatagenOptions>(spec.connector);
  options.rows_per_second = datagen.rate;
  return MakeSourceDriver(std::move(options), MakeDatagenSource(datagen, node.schema));
}

absl::StatusOr<std::unique_ptr<operators::Operator>> MakeSink(const graph::PlanNode& node) {
  const graph::SinkSpec& spec = std::get<graph::SinkSpec>(node.spec);
  if (std::holds_alternative<graph::BlackholeOptions>(spec.connector)) {
    return MakeBlackholeSink(spec.changelog);
  }
  std::unique_ptr<types::RowEncoder> encoder =
      MakeEncoder(spec.format, node.schema, spec.changelog);
  if (const auto* file = std::get_if<graph::FileSinkOptions>(&spec.connector)) {
    return MakeFileSink(*file, spec.changelog, std::move(encoder));
  }
  return MakeStdoutSink(spec.changelog, std::move(encoder), STDOUT_FILENO);
}

}  // namespace weir::connectors
