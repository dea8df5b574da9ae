// Sinks: their common options and what the plan makes of them.
#pragma once

#include <string>

#include <absl/types/optional.h>

#include "common/graph/edge_rows.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct SinkOptions {
  StepCommon common;
  config::Located<std::string> connector;
  StepInputs inputs;
  const config::Node* options = nullptr;
  const config::Node* format = nullptr;
  config::Located<SinkChangelog> changelog = SinkChangelog::kAppend;
  OnError on_error = OnError::kFail;
};

const config::OptionTable<SinkOptions>& SinkTable();

// The column that `changelog: log` adds.
inline constexpr const char* kChangeColumn = "_op";

struct BoundSink {
  SinkSpec spec;
  types::SchemaPtr schema;  // of what is written
  std::string state_signature;
};

// What can be said of a sink without its input. nullopt: reported.
absl::optional<BoundSink> BindSink(const SinkOptions& options, config::Diagnostics* diagnostics);

// Sets the schema, and checks that the sink can write what its input is. `because` are lines on why
// the input is updating. False: reported.
bool BindSinkInput(const SinkOptions& options, StringView step_id, const EdgeRows& input,
                   const std::vector<std::string>& because, BoundSink* bound,
                   config::Diagnostics* diagnostics);

// "upsert key(word)", "append", "retract".
std::string ChangelogText(const Changelog& changelog, const types::Schema& schema);

}  // namespace weir::graph
