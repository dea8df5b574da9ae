// AggregateKernel: one aggregate of a step over raw accumulators: adding rows, subtracting them,
// merging, results. An accumulator is a run of bytes in a state table's value; every aggregate has
// its place in it, and all zeros is the accumulator of no rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <absl/types/span.h>

#include "common/graph/steps/specs.h"
#include "common/state/state_table.h"
#include "common/types/record_batch.h"
#include "taskmanager/operators/result_column.h"

namespace weir::operators {

// Accumulators are 8-byte aligned; 16-byte values in them are not always 16-byte aligned.
template <class T>
T LoadAs(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
void StoreAs(void* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

using Accumulator = std::byte*;
using ConstAccumulator = const std::byte*;

// Row rows[i] of the batch goes to accumulators[i]; the same accumulator may occur several times.
struct AccumulatorRows {
  const types::RecordBatch* batch = nullptr;
  absl::Span<const uint32_t> rows;  // physical
  absl::Span<const Accumulator> accumulators;
  const int8_t* signs = nullptr;       // +1 adds row i, -1 subtracts it; null: all are added
  state::StateTable* table = nullptr;  // where the accumulators lie
};

// Accumulator from[i] goes to into[i], which may lie outside any state. The accumulators of `into`
// are good while the state of `table`, whose layout they have, is unchanged.
struct MergeRows {
  absl::Span<const ConstAccumulator> from;
  absl::Span<const Accumulator> into;
  const state::StateTable* table = nullptr;
};

// Whether rows are only ever added, or also subtracted.
enum class Retraction : uint8_t { kNever, kPossible };

// kChecked: a sum is kept in the type of its result, and a row that takes it out of range fails.
// kExact: a sum is kept exactly, whatever its size, so that accumulators can be merged and rows
// subtracted without a trace; a result out of range fails by itself.
enum class SumRange : uint8_t { kChecked, kExact };

// What the accumulators of a step must be able to do.
struct AccumulatorUse {
  Retraction retraction = Retraction::kNever;
  SumRange sums = SumRange::kChecked;  // kExact if rows are subtracted
};

enum class Outcome : uint8_t { kOk, kOverflow };

// Immutable. All functions take whole accumulators and know their own place in them.
class AggregateKernel {
 public:
  virtual ~AggregateKernel() = default;

  // Bytes the aggregate takes in an accumulator; a multiple of 8.
  virtual uint32_t bytes() const = 0;
  // Whether Update() can overflow.
  virtual bool can_overflow() const { return false; }

  // Applies all rows. kOverflow: at least one row took its accumulator out of range; all rows are
  // applied nevertheless, so that Update() with the opposite signs restores every accumulator.
  virtual Outcome Update(const AccumulatorRows& rows) const = 0;
  // Adds what the accumulators `from` counted to those of `into`. Strings are not copied: `into`
  // refers to them where they are. REQUIRES: !can_overflow().
  virtual void Merge(const MergeRows& rows) const = 0;
  // Whether a merge can be taken back without a trace.
  virtual bool can_unmerge() const { return false; }
  // Subtracts what was merged before. REQUIRES: can_unmerge().
  virtual void Unmerge(const MergeRows& rows) const;

  // Overwrites `results`. `table` has the accumulators' layout; strings are views into its state.
  virtual void Results(absl::Span<const ConstAccumulator> accumulators,
                       const state::StateTable& table, ResultColumn* results) const = 0;
};

// Where a kernel finds its argument and keeps its part.
struct KernelPlace {
  uint32_t offset = 0;    // in the accumulator
  size_t blob_field = 0;  // of the accumulator's table; for min and max of strings
};

// With Retraction::kPossible min and max, and always count(distinct), do nothing in Update() or
// Merge(): their accumulators are set by those who know all values.
std::unique_ptr<AggregateKernel> MakeKernel(const graph::AggregateCall& call, AccumulatorUse use,
                                            KernelPlace place);
// What the accumulator's bytes mean ("sum(int64)"): stored, so that a restore can compare.
std::string KernelSignature(const graph::AggregateCall& call, AccumulatorUse use);

// The parts of MakeKernel() (count_kernels.cpp, sum_kernels.cpp, ...).
std::unique_ptr<AggregateKernel> MakeCountKernel(const graph::AggregateCall& call, uint32_t offset);
std::unique_ptr<AggregateKernel> MakeSumKernel(const graph::AggregateCall& call, uint32_t offset);
std::unique_ptr<AggregateKernel> MakeExactSumKernel(const graph::AggregateCall& call,
                                                    uint32_t offset);
std::unique_ptr<AggregateKernel> MakeExtremeKernel(const graph::AggregateCall& call,
                                                   Retraction retraction, KernelPlace place);

// Sets the value of a min or max that MakeExtremeKernel() made for fixed-width values:
// `value` is the argument's FixedWidth() bytes, or null for NULL.
void SetExtreme(Accumulator at, const void* value, size_t width);

}  // namespace weir::operators
