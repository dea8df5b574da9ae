// UnnestOperator: one row per element of an array: the input columns, the element and, if asked,
// its number from 1.
#pragma once

#include <memory>
#include <string>

#include "common/graph/steps/specs.h"
#include "common/types/schema.h"
#include "taskmanager/operators/operator.h"
#include "taskmanager/operators/row_errors.h"

namespace weir::operators {

// Updates of an updating input become deletes and inserts: the rows before and after need not have
// as many elements.
class UnnestOperator final : public Operator {
 public:
  // `schema`: the input's columns, then the element, then the number (int64) if asked for.
  UnnestOperator(const graph::UnnestSpec& spec, std::string step_id, types::SchemaPtr schema)
      : spec_(spec), schema_(std::move(schema)), errors_(std::move(step_id), spec.on_error) {}

  absl::StatusOr<std::unique_ptr<OperatorState>> NewState(SubtaskContext& context) const override;
  absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                  BatchSink& out) const override;
  absl::StatusOr<Verdict> Resume(OperatorState& state, BatchSink& out) const override;

 private:
  struct State;

  types::BatchPtr MakeBatch(State& state) const;

  const graph::UnnestSpec spec_;
  const types::SchemaPtr schema_;
  const RowErrors errors_;
};

}  // namespace weir::operators
