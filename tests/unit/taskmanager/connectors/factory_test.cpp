#include "taskmanager/connectors/factory.h"

#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/file_sink_cleanup.h"
#include "tests/unit/taskmanager/connectors/sink_run.h"

namespace weir::connectors {

TEST_CASE("The factory makes sources and sinks that fit a plan's nodes", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  REQUIRE(files.MakeDirs("/data").ok());
  WriteFile(files, "/data/in.csv", "v\n1\n2\n");
  graph::PlanNode source_node;
  source_node.id = source_node.step_id = "in";
  source_node.schema = ValueSchema();
  graph::SourceSpec source_spec;
  source_spec.connector = graph::FileSourceOptions{.path = "/data/in.csv"};
  source_spec.format = {.kind = graph::FormatKind::kCsv, .header = true};
  source_node.spec = source_spec;
  const auto source = *MakeSource(source_node);
  SourceRun read(*source, {}, clock, files);
  REQUIRE(read.PollToEnd().ok());
  CHECK(read.out().rows == Lines({1, 2}));

  graph::PlanNode sink_node;
  sink_node.id = sink_node.uid = "out";
  sink_node.schema = ValueSchema();
  graph::SinkSpec sink_spec;
  sink_spec.connector = graph::FileSinkOptions{.path = kSinkDirectory};
  sink_spec.format.kind = graph::FormatKind::kJson;
  sink_node.spec = sink_spec;
  const auto sink = *MakeSink(sink_node);
  SinkRun written(*sink, {}, clock, files);
  REQUIRE(written.Write({1}).ok());
  written.Checkpoint(1);
  REQUIRE(written.Notify(1).ok());
  CHECK(CommittedLines(files) == Lines({1}));
}

TEST_CASE("The factory makes datagen sources and blackhole sinks", "[connectors][unit]") {
  testing::FaultyFs files;
  testing::ManualClock clock;
  graph::PlanNode source_node;
  source_node.step_id = "gen";
  source_node.schema = ValueSchema();
  graph::DatagenOptions options;
  options.count = 3;
  options.generators = {{.kind = graph::GeneratorKind::kSequence, .start = 7}};
  graph::SourceSpec source_spec;
  source_spec.connector = options;
  source_node.spec = source_spec;
  const auto source = *MakeSource(source_node);
  SourceRun read(*source, {}, clock, files);
  REQUIRE(read.PollToEnd().ok());
  CHECK(read.out().rows == Lines({7, 8, 9}));

  graph::PlanNode sink_node;
  graph::SinkSpec sink_spec;
  sink_spec.connector = graph::BlackholeOptions{};
  sink_node.spec = sink_spec;
  const auto sink = *MakeSink(sink_node);
  SinkRun run(*sink, {}, clock, files);
  CHECK(run.Write({1}).ok());
}

}  // namespace weir::connectors
