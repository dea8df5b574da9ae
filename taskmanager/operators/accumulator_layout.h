// AccumulatorLayout: how the aggregates of one step lie side by side in one accumulator, the value
// of a state table's entry. Fixed at plan time from the step's options alone, so that every restart
// finds the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/graph/steps/specs.h"
#include "common/state/table_layout.h"
#include "taskmanager/operators/aggregate_kernel.h"

namespace weir::operators {

// What depends on one argument's set of values: its distinct count, and, with
// Retraction::kPossible, its min and max.
struct ValueUse {
  size_t column = 0;  // of the input
  types::DataType type;
  std::vector<uint32_t> distinct_offsets;  // int64 counts
  struct Extreme {
    uint32_t offset = 0;
    size_t blob_field = 0;  // strings
    bool is_max = false;
  };
  std::vector<Extreme> extremes;
};

// Immutable.
class AccumulatorLayout {
 public:
  AccumulatorLayout(const graph::AggregateSpec& spec, AccumulatorUse use);

  Retraction retraction() const { return use_.retraction; }
  const state::ValueLayout& value() const { return value_; }
  // What the bytes mean, for the state's compatibility check.
  const std::string& signature() const { return signature_; }

  // One per aggregate of the step, in its order.
  size_t size() const { return kernels_.size(); }
  const AggregateKernel& kernel(size_t index) const { return *kernels_[index]; }
  const types::DataType& result_type(size_t index) const { return result_types_[index]; }
  // Whether merged accumulators can be taken apart again: all kernels can, and no values are kept.
  bool can_unmerge() const;
  // Argument columns whose values are kept beside the accumulators.
  const std::vector<ValueUse>& value_uses() const { return value_uses_; }

  // With Retraction::kPossible: rows added and not subtracted, behind the aggregates' results.
  // REQUIRES: retraction() is kPossible.
  int64_t RowCount(ConstAccumulator accumulator) const;

  // Applies rows to all kernels: first those that can overflow, so that a row which does can be
  // left out without a trace. Compacts `rows` to those applied.
  struct RowSet {
    types::PodVector<uint32_t> positions;  // caller's numbers, carried along
    types::PodVector<uint32_t> rows;       // physical
    types::PodVector<Accumulator> accumulators;
    types::PodVector<int8_t> signs;  // empty: all are added
    // Of the rows left out, the first one and the aggregate that it took out of range.
    struct Overflow {
      uint32_t row = 0;  // physical
      size_t aggregate = 0;
    };
    absl::optional<Overflow> overflow;
  };
  void Apply(const types::RecordBatch& batch, state::StateTable* table, RowSet* rows) const;

 private:
  void AddAggregate(const graph::AggregateCall& call);
  void AddKernel(const graph::AggregateCall& call, std::unique_ptr<AggregateKernel> kernel);
  ValueUse& UseOf(const graph::AggregateCall& call);
  // The place in checked_ of the kernel that overflowed; nothing is applied then.
  absl::optional<size_t> ApplyChecked(const AccumulatorRows& rows) const;
  void ApplyRowByRow(const AccumulatorRows& rows, RowSet* set) const;

  const AccumulatorUse use_;
  state::ValueLayout value_;
  std::string signature_;
  std::unique_ptr<AggregateKernel> row_count_;  // if retraction is possible
  std::vector<std::unique_ptr<AggregateKernel>> kernels_;
  std::vector<const AggregateKernel*> checked_;    // can overflow
  std::vector<size_t> checked_aggregates_;         // whose kernels they are
  std::vector<const AggregateKernel*> unchecked_;  // cannot
  std::vector<types::DataType> result_types_;
  std::vector<ValueUse> value_uses_;
};

}  // namespace weir::operators
