// One subtask's surroundings, and a source's or a sink's life through checkpoints and restores.
#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/expr/bound_expr.h"
#include "common/fs/file_system.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"
#include "common/testing/manual_clock.h"
#include "common/types/json/json_encoder.h"
#include "taskmanager/operators/operator.h"

namespace weir::connectors {

// What one subtask's list states hold in a checkpoint.
using Lists = std::map<std::string, state::ListState>;

// The lists of all subtasks dealt out to `parallelism` new ones.
std::vector<Lists> DealLists(const std::vector<Lists>& all, uint32_t parallelism);

// Whether all splits in a source's lists are finished.
bool AllFinished(const Lists& lists);

// Puts elements into a list state that is about to be restored.
void RestoreLists(const Lists& lists, state::OperatorState* into);

struct SubtaskPlace {
  JobId job{1, 1};
  uint32_t attempt = 0;
  uint32_t subtask = 0;
  uint32_t parallelism = 1;
  CheckpointId restored = kNoCheckpoint;
};

// Owns everything a context refers to but clock and files.
class Subtask {
 public:
  Subtask(const SubtaskPlace& place, const base::Clock& clock, fs::FileSystem& files);

  operators::SubtaskContext& context() { return context_; }
  state::OperatorState& lists() { return lists_; }
  operators::OperatorMetrics& metrics() { return metrics_; }

 private:
  state::KeyedBackend keyed_;
  state::OperatorState lists_;
  operators::OperatorMetrics metrics_;
  operators::SubtaskContext context_;
};

// Keeps what a source emits, in order: rows as JSON lines, "watermark N", "idle", "active".
class RecordingSink final : public operators::SourceSink {
 public:
  void Emit(types::BatchPtr batch) override;
  void EmitWatermark(EventTimeUs time) override {
    events.push_back("watermark " + std::to_string(time));
  }
  void EmitIdle(bool is_idle) override { events.push_back(is_idle ? "idle" : "active"); }

  std::vector<std::string> rows;
  std::vector<EventTimeUs> event_times;
  std::vector<std::string> events;  // the rows among them
  size_t batches = 0;
};

// A source's subtask from NewState() on.
class SourceRun {
 public:
  SourceRun(const operators::SourceOperator& source, const SubtaskPlace& place,
            const base::Clock& clock, fs::FileSystem& files, const Lists& restored = {});

  const absl::Status& opened() const { return opened_; }
  absl::StatusOr<operators::PollResult> Poll() { return source_.Poll(*state_, out_); }
  // Polls until it is finished, waits or fails.
  absl::Status PollToEnd();
  Lists Snapshot();

  RecordingSink& out() { return out_; }
  operators::OperatorMetrics& metrics() { return subtask_.metrics(); }

 private:
  const operators::SourceOperator& source_;
  Subtask subtask_;
  std::unique_ptr<operators::OperatorState> state_;
  RecordingSink out_;
  absl::Status opened_;
};

// A timestamp expression that just names a column.
std::shared_ptr<const expr::BoundExpr> ColumnExpr(size_t column);

uint64_t TestSeed();

// A directory of its own below $TMPDIR or /tmp, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void WriteFile(fs::FileSystem& files, const std::string& path, StringView bytes);
std::string ReadFile(fs::FileSystem& files, const std::string& path);

}  // namespace weir::connectors
