// A file in memory, and sources that read it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "common/testing/faulty_fs.h"
#include "taskmanager/connectors/file_source.h"
#include "taskmanager/connectors/source_driver.h"
#include "tests/unit/taskmanager/connectors/connector_harness.h"

namespace weir::connectors {

inline constexpr char kPath[] = "/data/in.txt";

using Rows = std::vector<std::string>;

inline types::SchemaPtr LineSchema() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{.name = "line", .type = types::kStringType, .nullable = false}});
}

inline types::SchemaPtr PairSchema() {
  return std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"a", types::kInt64Type}, {"b", types::kStringType}});
}

inline void PutFile(testing::FaultyFs* files, StringView bytes) {
  REQUIRE(files->MakeDirs("/data").ok());
  WriteFile(*files, kPath, bytes);
}

inline std::unique_ptr<operators::SourceOperator> Source(
    graph::FormatSpec format, types::SchemaPtr schema,
    graph::OnError on_error = graph::OnError::kFail) {
  SourceDriverOptions options;
  options.step_id = "in";
  options.on_error = on_error;
  return MakeSourceDriver(std::move(options),
                          MakeFileSource({.path = kPath}, std::move(format), std::move(schema)));
}

inline Rows ReadAll(testing::FaultyFs* files, const operators::SourceOperator& source) {
  testing::ManualClock clock;
  SourceRun run(source, {}, clock, *files);
  INFO(run.opened().ToString());
  REQUIRE(run.opened().ok());
  REQUIRE(run.PollToEnd().ok());
  return run.out().rows;
}

inline absl::Status StatusOfReading(testing::FaultyFs* files,
                                    const operators::SourceOperator& source) {
  testing::ManualClock clock;
  SourceRun run(source, {}, clock, *files);
  if (!run.opened().ok()) return run.opened();
  return run.PollToEnd();
}

}  // namespace weir::connectors
