#include "taskmanager/connectors/blackhole_sink.h"

#include "taskmanager/connectors/sink_rows.h"

namespace weir::connectors {
namespace {

struct BlackholeState final : operators::OperatorState {
  explicit BlackholeState(operators::OperatorMetrics& operator_metrics)
      : metrics(operator_metrics) {}
  operators::OperatorMetrics& metrics;
};

class BlackholeSink final : public operators::Operator {
 public:
  explicit BlackholeSink(graph::SinkChangelog changelog) : changelog_(changelog) {}

  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext& context) const override {
    return std::make_unique<BlackholeState>(context.metrics);
  }

  absl::StatusOr<operators::Verdict> OnBatch(const types::BatchPtr& batch,
                                             operators::OperatorState& state,
                                             operators::BatchSink&) const override {
    operators::OperatorMetrics& metrics = static_cast<BlackholeState&>(state).metrics;
    const types::BatchPtr rows = RowsToWrite(batch, changelog_, metrics);
    operators::OperatorMetrics::Add(metrics.rows_out, static_cast<int64_t>(rows->size()));
    return operators::Verdict::kDone;
  }

 private:
  const graph::SinkChangelog changelog_;
};

}  // namespace

std::unique_ptr<operators::Operator> MakeBlackholeSink(graph::SinkChangelog changelog) {
  return std::make_unique<BlackholeSink>(changelog);
}

}  // namespace weir::connectors
