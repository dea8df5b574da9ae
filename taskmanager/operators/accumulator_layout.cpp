#include "taskmanager/operators/accumulator_layout.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::operators {
namespace {

using graph::AggregateFunction;

// The number of rows is the accumulator's first field.
constexpr uint32_t kRowCountOffset = 0;

bool IsExtreme(const graph::AggregateCall& call) {
  return call.function == AggregateFunction::kMin || call.function == AggregateFunction::kMax;
}

const char* NameOf(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCountAll:
      return "count_all";
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kCountDistinct:
      return "count_distinct";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kAvg:
      return "avg";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
  }
  return "unknown";
}

AccumulatorRows View(const types::RecordBatch& batch, state::StateTable* table,
                     const AccumulatorLayout::RowSet& set) {
  return {.batch = &batch,
          .rows = set.rows,
          .accumulators = set.accumulators,
          .signs = set.signs.empty() ? nullptr : set.signs.data(),
          .table = table};
}

AccumulatorRows OneRow(const AccumulatorRows& rows, size_t i) {
  AccumulatorRows one = rows;
  one.rows = rows.rows.subspan(i, 1);
  one.accumulators = rows.accumulators.subspan(i, 1);
  if (rows.signs != nullptr) one.signs = rows.signs + i;
  return one;
}

// Takes back what the first `count` kernels did with `rows`.
void Undo(const AccumulatorRows& rows, absl::Span<const AggregateKernel* const> kernels) {
  types::PodVector<int8_t> signs(rows.rows.size());
  for (size_t i = 0; i < signs.size(); ++i) {
    signs[i] = rows.signs == nullptr || rows.signs[i] > 0 ? int8_t{-1} : int8_t{1};
  }
  AccumulatorRows opposite = rows;
  opposite.signs = signs.data();
  for (const AggregateKernel* kernel : kernels) {
    // It overflows back into range where it overflowed before.
    (void)kernel->Update(opposite);
  }
}

}  // namespace

std::unique_ptr<AggregateKernel> MakeKernel(const graph::AggregateCall& call, AccumulatorUse use,
                                            KernelPlace place) {
  switch (call.function) {
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      if (use.sums == SumRange::kExact) return MakeExactSumKernel(call, place.offset);
      return MakeSumKernel(call, place.offset);
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      return MakeExtremeKernel(call, use.retraction, place);
    default:
      return MakeCountKernel(call, place.offset);
  }
}

void AggregateKernel::Unmerge(const MergeRows& rows) const {
  WEIR_CHECK(can_unmerge());
}

std::string KernelSignature(const graph::AggregateCall& call, AccumulatorUse use) {
  const std::string argument = call.argument.has_value() ? call.argument_type.ToString() : "";
  const bool is_sum =
      call.function == AggregateFunction::kSum || call.function == AggregateFunction::kAvg;
  return absl::StrCat(is_sum && use.sums == SumRange::kExact ? "exact_" : "", NameOf(call.function),
                      "(", argument, ")");
}

AccumulatorLayout::AccumulatorLayout(const graph::AggregateSpec& spec, AccumulatorUse use)
    : use_(use) {
  value_.bytes = 0;
  if (use.retraction == Retraction::kPossible) {
    WEIR_CHECK(use.sums == SumRange::kExact);
    row_count_ = MakeCountKernel(graph::AggregateCall{}, kRowCountOffset);
    value_.bytes = row_count_->bytes();
    signature_ = "rows()";
    unchecked_.push_back(row_count_.get());
  }
  for (const graph::AggregateCall& call : spec.aggregates) AddAggregate(call);
}

void AccumulatorLayout::AddAggregate(const graph::AggregateCall& call) {
  if (call.function == AggregateFunction::kCountAll && row_count_ != nullptr) {
    // The rows are counted already.
    AddKernel(call, MakeCountKernel(call, kRowCountOffset));
    return;
  }
  const KernelPlace place{value_.bytes, value_.blob_offsets.size()};
  const bool is_string = call.argument_type.kind == types::TypeKind::kString;
  if (IsExtreme(call) && is_string) value_.blob_offsets.push_back(place.offset);
  if (call.function == AggregateFunction::kCountDistinct) {
    UseOf(call).distinct_offsets.push_back(place.offset);
  }
  if (IsExtreme(call) && use_.retraction == Retraction::kPossible) {
    UseOf(call).extremes.push_back(
        {place.offset, place.blob_field, call.function == AggregateFunction::kMax});
  }
  AddKernel(call, MakeKernel(call, use_, place));
  const AggregateKernel* kernel = kernels_.back().get();
  (kernel->can_overflow() ? checked_ : unchecked_).push_back(kernel);
  if (kernel->can_overflow()) checked_aggregates_.push_back(kernels_.size() - 1);
  value_.bytes += kernel->bytes();
}

void AccumulatorLayout::AddKernel(const graph::AggregateCall& call,
                                  std::unique_ptr<AggregateKernel> kernel) {
  kernels_.push_back(std::move(kernel));
  result_types_.push_back(call.result_type);
  absl::StrAppend(&signature_, signature_.empty() ? "" : ",", KernelSignature(call, use_));
}

ValueUse& AccumulatorLayout::UseOf(const graph::AggregateCall& call) {
  for (ValueUse& use : value_uses_) {
    if (use.column == *call.argument) return use;
  }
  ValueUse& use = value_uses_.emplace_back();
  use.column = *call.argument;
  use.type = call.argument_type;
  return use;
}

bool AccumulatorLayout::can_unmerge() const {
  return value_uses_.empty() &&
         std::all_of(kernels_.begin(), kernels_.end(),
                     [](const auto& kernel) { return kernel->can_unmerge(); });
}

int64_t AccumulatorLayout::RowCount(ConstAccumulator accumulator) const {
  WEIR_DCHECK(use_.retraction == Retraction::kPossible);
  return LoadAs<int64_t>(accumulator + kRowCountOffset);
}

absl::optional<size_t> AccumulatorLayout::ApplyChecked(const AccumulatorRows& rows) const {
  for (size_t k = 0; k < checked_.size(); ++k) {
    if (checked_[k]->Update(rows) == Outcome::kOk) continue;
    Undo(rows, absl::MakeConstSpan(checked_).first(k + 1));
    return k;
  }
  return absl::nullopt;
}

void AccumulatorLayout::ApplyRowByRow(const AccumulatorRows& rows, RowSet* set) const {
  size_t kept = 0;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (const absl::optional<size_t> failed = ApplyChecked(OneRow(rows, i))) {
      if (!set->overflow) set->overflow = {rows.rows[i], checked_aggregates_[*failed]};
      continue;
    }
    set->positions[kept] = set->positions[i];
    set->rows[kept] = set->rows[i];
    set->accumulators[kept] = set->accumulators[i];
    if (!set->signs.empty()) set->signs[kept] = set->signs[i];
    ++kept;
  }
  set->positions.resize(kept);
  set->rows.resize(kept);
  set->accumulators.resize(kept);
  if (!set->signs.empty()) set->signs.resize(kept);
}

void AccumulatorLayout::Apply(const types::RecordBatch& batch, state::StateTable* table,
                              RowSet* rows) const {
  rows->overflow.reset();
  if (ApplyChecked(View(batch, table, *rows))) ApplyRowByRow(View(batch, table, *rows), rows);
  for (const AggregateKernel* kernel : unchecked_) kernel->Update(View(batch, table, *rows));
}

}  // namespace weir::operators
