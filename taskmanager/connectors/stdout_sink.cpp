#include "taskmanager/connectors/stdout_sink.h"

#include <string>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/status_macros.h"
#include "taskmanager/connectors/descriptor_writer.h"
#include "taskmanager/connectors/sink_rows.h"

namespace weir::connectors {
namespace {

struct StdoutState final : operators::OperatorState {
  explicit StdoutState(operators::OperatorMetrics& operator_metrics) : metrics(operator_metrics) {}
  operators::OperatorMetrics& metrics;
  std::string lines;  // of one batch; kept for its memory
};

// A process has one standard output, whatever number of sinks and subtasks write to it.
base::Mutex& OutputMutex() {
  static base::Mutex mutex;
  return mutex;
}

class StdoutSink final : public operators::Operator {
 public:
  StdoutSink(graph::SinkChangelog changelog, std::unique_ptr<types::RowEncoder> encoder,
             int descriptor)
      : changelog_(changelog), encoder_(std::move(encoder)), descriptor_(descriptor) {}

  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext& context) const override {
    auto state = std::make_unique<StdoutState>(context.metrics);
    // A header belongs once before all rows, so the first subtask writes it, while none has
    // started.
    if (context.subtask == 0 && context.restored == kNoCheckpoint) {
      encoder_->AppendHeader(&state->lines);
      WEIR_RETURN_IF_ERROR(Write(state->lines));
    }
    return state;
  }

  absl::StatusOr<operators::Verdict> OnBatch(const types::BatchPtr& batch,
                                             operators::OperatorState& operator_state,
                                             operators::BatchSink&) const override {
    StdoutState& state = static_cast<StdoutState&>(operator_state);
    const types::BatchPtr rows = RowsToWrite(batch, changelog_, state.metrics);
    state.lines.clear();
    encoder_->Append(*rows, &state.lines);
    WEIR_RETURN_IF_ERROR(Write(state.lines));
    operators::OperatorMetrics::Add(state.metrics.rows_out, static_cast<int64_t>(rows->size()));
    return operators::Verdict::kDone;
  }

 private:
  absl::Status Write(StringView lines) const {
    base::MutexLock lock(OutputMutex());
    return WriteAll(descriptor_, lines);
  }

  const graph::SinkChangelog changelog_;
  const std::unique_ptr<types::RowEncoder> encoder_;
  const int descriptor_;
};

}  // namespace

std::unique_ptr<operators::Operator> MakeStdoutSink(graph::SinkChangelog changelog,
                                                    std::unique_ptr<types::RowEncoder> encoder,
                                                    int descriptor) {
  return std::make_unique<StdoutSink>(changelog, std::move(encoder), descriptor);
}

}  // namespace weir::connectors
