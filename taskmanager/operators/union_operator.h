// UnionOperator: hands on what comes in. The merging itself is that its task has several inputs.
#pragma once

#include <memory>

#include "taskmanager/operators/operator.h"

namespace weir::operators {

// Stateless; see above.
class UnionOperator final : public Operator {
 public:
  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;
};

}  // namespace weir::operators
