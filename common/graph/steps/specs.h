// What each step does, bound and checked: the typed options that the planner makes and that
// operators in the taskmanager run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <absl/time/time.h>
#include <absl/types/optional.h>

#include "common/graph/connectors/datagen_options.h"
#include "common/graph/connectors/file_options.h"
#include "common/graph/connectors/sink_options.h"
#include "common/graph/format.h"
#include "common/types/schema.h"

namespace weir::expr {
class BoundExpr;
}  // namespace weir::expr

namespace weir::graph {

// Shared: bound once by the planner, read by every subtask.
using ExprPtr = std::shared_ptr<const expr::BoundExpr>;

// What happens to a row that cannot be decoded or computed.
enum class OnError : uint8_t {
  kFail,  // the job fails with the row's place and cause
  kSkip,  // the row is dropped and counted
};

struct NamedExpr {
  std::string name;
  ExprPtr expr;
};

// `event_time` of a source.
struct EventTimeSpec {
  ExprPtr expr;               // a timestamp over the decoded row; NULL is a row error
  bool has_watermark = true;  // false: strategy `none`
  absl::Duration delay = absl::ZeroDuration();      // bounded; zero is `ascending`
  absl::Duration idle_timeout = absl::Seconds(60);  // zero: off
};

struct SourceSpec {
  std::variant<FileSourceOptions, DatagenOptions> connector;
  FormatSpec format;  // file only
  absl::optional<EventTimeSpec> event_time;
  OnError on_error = OnError::kFail;
};

// Keeps the rows for which `where` is TRUE.
struct FilterSpec {
  ExprPtr where;
  OnError on_error = OnError::kFail;
};

// Computes each output column from the input row, of the rows `where` lets pass (null: all).
struct SelectSpec {
  std::vector<NamedExpr> columns;
  ExprPtr where;
  OnError on_error = OnError::kFail;
};

// One row per element of an array: the input columns, the element and, if asked, its number from 1.
struct UnnestSpec {
  ExprPtr expr;
  bool outer = false;           // a row without elements gives one row with NULL
  bool has_ordinality = false;  // the last output column
  OnError on_error = OnError::kFail;
};

// Merges inputs of one schema; does nothing else.
struct UnionSpec {};

enum class AggregateFunction : uint8_t {
  kCountAll,
  kCount,
  kCountDistinct,
  kSum,
  kAvg,
  kMin,
  kMax
};

struct AggregateCall {
  AggregateFunction function = AggregateFunction::kCountAll;
  absl::optional<size_t> argument;  // input column; absent for count(*)
  types::DataType argument_type;
  types::DataType result_type;
};

// Windows of `size` that begin at offset + n * slide. Tumbling: slide == size.
struct WindowSpec {
  int64_t size_us = 0;    // > 0
  int64_t slide_us = 0;   // 0 < slide <= size
  int64_t offset_us = 0;  // 0 <= offset < slide
};

enum class EmitMode : uint8_t {
  kUpdating,  // unwindowed: a changelog with key key_by
  kAtEnd,     // unwindowed: one final row per key at the end of bounded input
  kOnClose,   // windowed: rows when the watermark passes the window's end
};

// The input's first `key_count` columns are the key, projected there by the planner; the other
// input columns are the aggregates' arguments. Output columns: the key, then (windowed)
// window_start and window_end, then the aggregates. An empty key is one global group. Unwindowed
// and updating: an input deletion subtracts.
struct AggregateSpec {
  size_t key_count = 0;
  std::vector<AggregateCall> aggregates;
  absl::optional<WindowSpec> window;
  absl::Duration allowed_lateness = absl::ZeroDuration();  // state is kept this long after the end
  EmitMode emit = EmitMode::kUpdating;
  bool input_is_updating = false;
  OnError on_error = OnError::kFail;  // overflow of a sum
};

// What a sink writes of a changelog.
enum class SinkChangelog : uint8_t {
  kAppend,      // rows of an append stream
  kLog,         // rows plus _op = insert | update_before | update_after | delete, as last column
  kInsertOnly,  // inserts and update_after; deletes are counted and dropped
};

struct SinkSpec {
  std::variant<FileSinkOptions, StdoutOptions, BlackholeOptions> connector;
  FormatSpec format;
  SinkChangelog changelog = SinkChangelog::kAppend;
  OnError on_error = OnError::kFail;
};

using StepSpec = std::variant<SourceSpec, FilterSpec, SelectSpec, UnnestSpec, UnionSpec,
                              AggregateSpec, SinkSpec>;

}  // namespace weir::graph
