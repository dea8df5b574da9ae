// SourceDriver: the source operator of every connector that reads splits.
// It deals out and stores splits, limits the rate, computes event times and watermarks, notices
// idleness, and treats rows that cannot be decoded as `on_error` says.
#pragma once

#include <memory>
#include <string>

#include <absl/types/optional.h>

#include "common/graph/steps/specs.h"
#include "taskmanager/connectors/split_reader.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

// Names of its list states.
inline constexpr char kSplitsList[] = "splits";    // split-even: a Split each
inline constexpr char kStartedList[] = "started";  // union: not empty once the source has started

struct SourceDriverOptions {
  std::string step_id;  // for messages
  // Of the whole source: each subtask gets the share that its splits are of all splits.
  absl::optional<double> rows_per_second;
  absl::optional<graph::EventTimeSpec> event_time;
  graph::OnError on_error = graph::OnError::kFail;
};

std::unique_ptr<operators::SourceOperator> MakeSourceDriver(SourceDriverOptions options,
                                                            std::unique_ptr<SplitSource> source);

}  // namespace weir::connectors
