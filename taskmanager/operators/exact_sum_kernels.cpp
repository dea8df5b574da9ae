// sum and avg that can take back what they added: nothing is lost on the way, so the result is
// that of the rows that are left. Only the result of a sum can be out of range.
// Accumulator: int64 count of values that are not NULL, then their exact sum.
#include "common/base/check.h"
#include "taskmanager/operators/kernel_base.h"
#include "taskmanager/operators/wide_sum.h"

namespace weir::operators {
namespace {

using types::Int128;

constexpr uint32_t kSumOffset = sizeof(int64_t);

enum class Mean : uint8_t { kNo, kYes };

struct IntSum {
  Int128 sum = 0;
  void Add(int64_t value, int sign) { sum += static_cast<Int128>(value) * sign; }
  void Combine(const IntSum& other, int sign) { sum += other.sum * sign; }
};

struct DecimalSum {
  WideSum sum;
  void Add(Int128 value, int sign) { sign > 0 ? sum.Add(value) : sum.Subtract(value); }
  void Combine(const DecimalSum& other, int sign) {
    sign > 0 ? sum.Add(other.sum) : sum.Subtract(other.sum);
  }
};

// Infinities and NaNs are counted apart, so that the finite rest survives their retraction. The
// finite sum carries the error of its last digits along (Neumaier); it is set back to exactly 0
// when no finite value is left.
struct DoubleSum {
  double sum = 0;
  double error = 0;
  int64_t finite = 0;
  int64_t nan = 0;
  int64_t infinite[2] = {0, 0};  // negative, positive

  void Add(double value, int sign) {
    if (std::isnan(value)) {
      nan += sign;
    } else if (std::isinf(value)) {
      infinite[value > 0 ? 1 : 0] += sign;
    } else {
      finite += sign;
      AddFinite(value * sign);
    }
  }
  void Combine(const DoubleSum& other, int sign) {
    nan += sign * other.nan;
    infinite[0] += sign * other.infinite[0];
    infinite[1] += sign * other.infinite[1];
    finite += sign * other.finite;
    AddFinite(other.sum * sign);
    error += other.error * sign;
  }
  double Total() const {
    if (nan != 0 || (infinite[0] != 0 && infinite[1] != 0)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (infinite[1] != 0) return std::numeric_limits<double>::infinity();
    if (infinite[0] != 0) return -std::numeric_limits<double>::infinity();
    return std::isfinite(sum) ? sum + error : sum;
  }

 private:
  void AddFinite(double value) {
    const double total = sum + value;
    error += std::abs(sum) >= std::abs(value) ? (sum - total) + value : (value - total) + sum;
    sum = total;
    if (finite == 0) sum = error = 0;
  }
};

// Converts what was added to the result; false: out of range.
struct ToInt64 {
  bool operator()(const IntSum& from, int64_t, int64_t* to) const {
    *to = static_cast<int64_t>(from.sum);
    return *to == from.sum;
  }
};
struct ToDoubleMean {
  bool operator()(const IntSum& from, int64_t count, double* to) const {
    *to = static_cast<double>(from.sum) / static_cast<double>(count);
    return true;
  }
  bool operator()(const DoubleSum& from, int64_t count, double* to) const {
    *to = CanonicalNan(from.Total() / static_cast<double>(count));
    return true;
  }
};
struct ToDouble {
  bool operator()(const DoubleSum& from, int64_t, double* to) const {
    *to = CanonicalNan(from.Total());
    return true;
  }
};
struct ToDecimal {
  bool operator()(const DecimalSum& from, int64_t, Int128* to) const {
    const absl::optional<Int128> sum = from.sum.ToDecimal();
    *to = sum.value_or(0);
    return sum.has_value();
  }
};
struct ToDecimalMean {
  int digits = 0;  // more behind the point than the argument has
  bool operator()(const DecimalSum& from, int64_t count, Int128* to) const {
    const absl::optional<Int128> mean = from.sum.Mean(count, digits);
    *to = mean.value_or(0);
    return mean.has_value();
  }
};

template <class In, class Sum, class Result, class Finish>
class ExactSumKernel final : public KernelBase<ExactSumKernel<In, Sum, Result, Finish>, Result> {
 public:
  ExactSumKernel(size_t argument, uint32_t offset, Finish finish)
      : KernelBase<ExactSumKernel, Result>(offset), argument_(argument), finish_(finish) {}

  uint32_t bytes() const override { return kSumOffset + sizeof(Sum); }

  Outcome Update(const AccumulatorRows& rows) const override {
    ForEachValue<In>(rows, rows.batch->column(argument_),
                     [this](Accumulator accumulator, In value, int sign) {
                       const Accumulator at = accumulator + this->offset();
                       StoreAs(at, LoadAs<int64_t>(at) + sign);
                       Sum sum = LoadAs<Sum>(at + kSumOffset);
                       sum.Add(value, sign);
                       StoreAs(at + kSumOffset, sum);
                     });
    return Outcome::kOk;
  }

  void Merge(const MergeRows& rows) const override { Combine(rows, 1); }
  // Doubles are summed to the last digit only up to rounding.
  bool can_unmerge() const override { return !std::is_same_v<Sum, DoubleSum>; }
  void Unmerge(const MergeRows& rows) const override { Combine(rows, -1); }

  ValueState Value(ConstAccumulator accumulator, Result* value) const {
    const ConstAccumulator at = accumulator + this->offset();
    const int64_t count = LoadAs<int64_t>(at);
    if (count == 0) return ValueState::kNull;
    const bool fits = finish_(LoadAs<Sum>(at + kSumOffset), count, value);
    return fits ? ValueState::kValue : ValueState::kFailed;
  }

 private:
  void Combine(const MergeRows& rows, int sign) const {
    for (size_t i = 0; i < rows.from.size(); ++i) {
      const ConstAccumulator from = rows.from[i] + this->offset();
      const Accumulator at = rows.into[i] + this->offset();
      StoreAs(at, LoadAs<int64_t>(at) + sign * LoadAs<int64_t>(from));
      Sum sum = LoadAs<Sum>(at + kSumOffset);
      sum.Combine(LoadAs<Sum>(from + kSumOffset), sign);
      StoreAs(at + kSumOffset, sum);
    }
  }

  const size_t argument_;
  const Finish finish_;
};

template <class In, class Sum, class Result, class Finish>
std::unique_ptr<AggregateKernel> Make(const graph::AggregateCall& call, uint32_t offset,
                                      Finish finish) {
  static_assert(sizeof(Sum) % sizeof(int64_t) == 0);
  return std::make_unique<ExactSumKernel<In, Sum, Result, Finish>>(*call.argument, offset, finish);
}

template <class In>
std::unique_ptr<AggregateKernel> MakeForInts(const graph::AggregateCall& call, Mean mean,
                                             uint32_t offset) {
  if (mean == Mean::kYes) return Make<In, IntSum, double>(call, offset, ToDoubleMean());
  return Make<In, IntSum, int64_t>(call, offset, ToInt64());
}

}  // namespace

std::unique_ptr<AggregateKernel> MakeExactSumKernel(const graph::AggregateCall& call,
                                                    uint32_t offset) {
  const Mean mean = call.function == graph::AggregateFunction::kAvg ? Mean::kYes : Mean::kNo;
  switch (call.argument_type.kind) {
    case types::TypeKind::kInt32:
      return MakeForInts<int32_t>(call, mean, offset);
    case types::TypeKind::kInt64:
      return MakeForInts<int64_t>(call, mean, offset);
    case types::TypeKind::kDouble:
      if (mean == Mean::kYes) {
        return Make<double, DoubleSum, double>(call, offset, ToDoubleMean());
      }
      return Make<double, DoubleSum, double>(call, offset, ToDouble());
    case types::TypeKind::kDecimal: {
      if (mean == Mean::kNo) return Make<Int128, DecimalSum, Int128>(call, offset, ToDecimal());
      const int digits = call.result_type.scale - call.argument_type.scale;
      WEIR_CHECK(digits >= 0);
      return Make<Int128, DecimalSum, Int128>(call, offset, ToDecimalMean{digits});
    }
    default:
      break;
  }
  WEIR_CHECK(false);
}

}  // namespace weir::operators
