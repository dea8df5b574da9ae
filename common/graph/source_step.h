// Sources: their common options, event time, and what the plan makes of them.
#pragma once

#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/graph/edge_rows.h"
#include "common/graph/row_type.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

struct WatermarkOptions {
  bool has_watermark = true;
  absl::Duration delay;
};

struct EventTimeOptions {
  const config::Node* column = nullptr;
  const config::Node* expr = nullptr;
  WatermarkOptions watermark;
  absl::Duration idle_timeout = EventTimeSpec{}.idle_timeout;
};

struct SourceOptions {
  StepCommon common;
  config::Located<std::string> connector;
  const config::Node* options = nullptr;
  const config::Node* format = nullptr;
  config::Located<std::string> schema;
  config::Located<EventTimeOptions> event_time;
  OnError on_error = OnError::kFail;
};

const config::OptionTable<EventTimeOptions>& EventTimeTable();
const config::OptionTable<SourceOptions>& SourceTable();

struct BoundSource {
  // False: something was wrong and is reported; `rows` is right all the same.
  bool is_complete = true;
  SourceSpec spec;
  EdgeRows rows;
  std::string state_signature;
};

// `row_types` are the schemas of the file. nullopt: reported, and nothing is known of the rows.
absl::optional<BoundSource> BindSource(const SourceOptions& options, StringView step_id,
                                       const std::vector<RowType>& row_types,
                                       config::Diagnostics* diagnostics);

}  // namespace weir::graph
