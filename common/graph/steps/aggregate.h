// Step `aggregate`: one row per key, or per key and window.
// Operators: `<step>/project` computes keys and arguments before the exchange, the aggregate itself
// has the step's id, and `<step>/having` filters its rows. State: `acc`, and `timers` if windowed.
// Output: windowed: append, with window_start and window_end; unwindowed: upsert on the key, or
// append if emitted at the end. Event time of a windowed row is window_end - 1 us.
// State that cannot be kept: another key, window or aggregate, be it only another expression.
#pragma once

#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/graph/binding.h"
#include "common/graph/steps/step_options.h"

namespace weir::graph {

enum class WindowKind : uint8_t { kTumbling, kHopping };

struct WindowOptions {
  config::Located<WindowKind> kind;
  config::Located<absl::Duration> size;
  config::Located<absl::Duration> slide;
  config::Located<absl::Duration> offset;
};

enum class LateRows : uint8_t { kDrop };

struct AggregateOptions {
  TransformCommon common;
  StepInputs input;
  std::vector<NamedNode> key_by;
  std::vector<NamedNode> aggregates;
  config::Located<WindowOptions> window;
  const config::Node* having = nullptr;
  config::Located<EmitMode> emit;  // not set: on_close if windowed, else updating
  config::Located<LateRows> late;
  OnError on_error = OnError::kFail;
};

// Most windows that one row may be in: size / slide, rounded up. Each is merged from as many
// slices.
inline constexpr int64_t kWindowsPerRowMax = 10'000;

const config::OptionTable<WindowOptions>& WindowTable();
const config::OptionTable<AggregateOptions>& AggregateTable();

struct BoundAggregateStep {
  SelectSpec project;
  // As the descriptor has them; only what tells changes of a job needs them.
  std::vector<std::string> key_texts;
  std::vector<std::string> call_texts;
  EdgeRows projected;
  AggregateSpec spec;
  ExprPtr having;  // null: none
  EdgeRows rows;
};

// `step_id` is how messages about `having` call the rows. nullopt: reported.
absl::optional<BoundAggregateStep> BindAggregateStep(const AggregateOptions& options,
                                                     StringView step_id, const EdgeRows& input,
                                                     config::Diagnostics* diagnostics);

// "count(distinct string)": the function and the type of its argument.
std::string AggregateCallText(const AggregateCall& call);

// An expression without the blanks that do not matter; of a long one the beginning and a hash.
std::string SignatureText(StringView expression);

// What decides whether stored state fits: see PlanNode::state_signature. The texts of keys and
// calls belong to it: state that was summed up by another expression of the same type would be
// read without a complaint, and mixed.
std::string AggregateSignature(const BoundAggregateStep& step);

}  // namespace weir::graph
