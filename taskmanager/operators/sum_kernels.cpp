// sum and avg of rows that are only added.
// Accumulator: int64 count of values that are not NULL, then their sum.
#include "common/base/check.h"
#include "taskmanager/operators/kernel_base.h"
#include "taskmanager/operators/wide_sum.h"

namespace weir::operators {
namespace {

using types::Int128;

constexpr uint32_t kSumOffset = sizeof(int64_t);

void BumpCount(Accumulator at, int sign) {
  StoreAs(at, LoadAs<int64_t>(at) + sign);
}

// sum += value or sum -= value, wrapping; whether it left the type's range.
template <class T>
bool AddOverflows(T value, int sign, T* sum) {
  return sign > 0 ? __builtin_add_overflow(*sum, value, sum)
                  : __builtin_sub_overflow(*sum, value, sum);
}

// The result of a sum fits its type: int64 always does, a decimal has at most 38 digits.
struct AnyInt64 {
  bool Contains(int64_t) const { return true; }
};
struct Decimals38 {
  const Int128 limit = types::PowerOfTen(types::kDecimalPrecisionMax);
  bool Contains(Int128 value) const { return value < limit && value > -limit; }
};

// sum of In values, kept in the type of its result.
template <class In, class Sum, class Range>
class CheckedSumKernel final : public KernelBase<CheckedSumKernel<In, Sum, Range>, Sum> {
 public:
  CheckedSumKernel(size_t argument, uint32_t offset)
      : KernelBase<CheckedSumKernel, Sum>(offset), argument_(argument) {}

  uint32_t bytes() const override { return kSumOffset + sizeof(Sum); }
  bool can_overflow() const override { return true; }

  Outcome Update(const AccumulatorRows& rows) const override {
    bool has_overflowed = false;
    ForEachValue<In>(rows, rows.batch->column(argument_),
                     [&](Accumulator accumulator, In value, int sign) {
                       const Accumulator at = accumulator + this->offset();
                       BumpCount(at, sign);
                       has_overflowed |= Add(static_cast<Sum>(value), sign, at + kSumOffset);
                     });
    return has_overflowed ? Outcome::kOverflow : Outcome::kOk;
  }

  void Merge(const MergeRows& rows) const override {
    // Accumulators that are merged have exact sums.
    WEIR_CHECK(false);
  }

  ValueState Value(ConstAccumulator accumulator, Sum* value) const {
    const ConstAccumulator at = accumulator + this->offset();
    *value = LoadAs<Sum>(at + kSumOffset);
    return LoadAs<int64_t>(at) != 0 ? ValueState::kValue : ValueState::kNull;
  }

 private:
  bool Add(Sum value, int sign, Accumulator at) const {
    Sum sum = LoadAs<Sum>(at);
    const bool overflows = AddOverflows(value, sign, &sum) || !range_.Contains(sum);
    StoreAs(at, sum);
    return overflows;
  }

  const size_t argument_;
  const Range range_{};
};

enum class Mean : uint8_t { kNo, kYes };

// sum or avg of doubles: the sum grows towards infinity by itself.
template <Mean kMean>
class DoubleSumKernel final : public KernelBase<DoubleSumKernel<kMean>, double> {
 public:
  DoubleSumKernel(size_t argument, uint32_t offset)
      : KernelBase<DoubleSumKernel<kMean>, double>(offset), argument_(argument) {}

  uint32_t bytes() const override { return kSumOffset + sizeof(double); }

  Outcome Update(const AccumulatorRows& rows) const override {
    ForEachValue<double>(rows, rows.batch->column(argument_),
                         [this](Accumulator accumulator, double value, int) {
                           const Accumulator at = accumulator + this->offset();
                           BumpCount(at, 1);
                           StoreAs(at + kSumOffset, LoadAs<double>(at + kSumOffset) + value);
                         });
    return Outcome::kOk;
  }

  void Merge(const MergeRows& rows) const override {
    for (size_t i = 0; i < rows.from.size(); ++i) {
      const ConstAccumulator from = rows.from[i] + this->offset();
      const Accumulator at = rows.into[i] + this->offset();
      StoreAs(at, LoadAs<int64_t>(at) + LoadAs<int64_t>(from));
      StoreAs(at + kSumOffset, LoadAs<double>(at + kSumOffset) + LoadAs<double>(from + kSumOffset));
    }
  }

  ValueState Value(ConstAccumulator accumulator, double* value) const {
    const ConstAccumulator at = accumulator + this->offset();
    const int64_t count = LoadAs<int64_t>(at);
    if (count == 0) return ValueState::kNull;
    const double sum = LoadAs<double>(at + kSumOffset);
    *value = CanonicalNan(kMean == Mean::kYes ? sum / static_cast<double>(count) : sum);
    return ValueState::kValue;
  }

 private:
  const size_t argument_;
};

}  // namespace

std::unique_ptr<AggregateKernel> MakeSumKernel(const graph::AggregateCall& call, uint32_t offset) {
  const size_t argument = *call.argument;
  const bool is_avg = call.function == graph::AggregateFunction::kAvg;
  switch (call.argument_type.kind) {
    case types::TypeKind::kInt32:
      if (is_avg) break;
      return std::make_unique<CheckedSumKernel<int32_t, int64_t, AnyInt64>>(argument, offset);
    case types::TypeKind::kInt64:
      if (is_avg) break;
      return std::make_unique<CheckedSumKernel<int64_t, int64_t, AnyInt64>>(argument, offset);
    case types::TypeKind::kDecimal:
      if (is_avg) break;
      return std::make_unique<CheckedSumKernel<Int128, Int128, Decimals38>>(argument, offset);
    case types::TypeKind::kDouble:
      if (is_avg) return std::make_unique<DoubleSumKernel<Mean::kYes>>(argument, offset);
      return std::make_unique<DoubleSumKernel<Mean::kNo>>(argument, offset);
    default:
      WEIR_CHECK(call.argument_type.IsNumeric());
  }
  // An average never overflows: its sum is exact.
  return MakeExactSumKernel(call, offset);
}

}  // namespace weir::operators
