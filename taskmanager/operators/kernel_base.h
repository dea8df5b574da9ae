// What the fixed-width aggregate kernels share: walking rows and gathering results.
// Included by the kernels' .cpp files only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "taskmanager/operators/aggregate_kernel.h"

namespace weir::operators {

enum class ValueState : uint8_t { kValue, kNull, kFailed };

// One bit pattern for all NaNs, so that results that are equal compare equal.
inline double CanonicalNan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// Calls apply(accumulator, value, sign) for each row whose argument is not NULL; sign is an
// integral_constant when all rows are added, so that the common loop has no branch on it.
template <class T, class Apply>
void ForEachValue(const AccumulatorRows& rows, const types::Column& column, Apply apply) {
  const T* values = column.Values<T>();
  const uint8_t* validity = column.validity();
  const auto loop = [&](auto sign_of) {
    for (size_t i = 0; i < rows.rows.size(); ++i) {
      const uint32_t row = rows.rows[i];
      if (validity != nullptr && validity[row] == 0) continue;
      apply(rows.accumulators[i], LoadAs<T>(values + row), sign_of(i));
    }
  };
  if (rows.signs == nullptr) {
    loop([](size_t) { return std::integral_constant<int, 1>(); });
  } else {
    loop([&](size_t i) { return static_cast<int>(rows.signs[i]); });
  }
}

// Derived has `ValueState Value(ConstAccumulator accumulator, T* value) const`; it is given the
// whole accumulator.
template <class Derived, class T>
class KernelBase : public AggregateKernel {
 public:
  explicit KernelBase(uint32_t offset) : offset_(offset) {}

  void Results(absl::Span<const ConstAccumulator> accumulators, const state::StateTable& table,
               ResultColumn* results) const final {
    results->Reset(accumulators.size());
    T* values = results->Fixed<T>();
    for (size_t i = 0; i < accumulators.size(); ++i) {
      T value{};
      const ValueState state = static_cast<const Derived&>(*this).Value(accumulators[i], &value);
      StoreAs(values + i, value);
      if (state == ValueState::kNull) results->SetNull(i);
      if (state == ValueState::kFailed) results->SetFailed(i);
    }
  }

 protected:
  uint32_t offset() const { return offset_; }

 private:
  const uint32_t offset_;
};

}  // namespace weir::operators
