// min and max.
// Accumulator of fixed-width values: int64 (1: there is a value), then the value, padded to 8
// bytes. Of strings: the reference of the out-of-line string; none is NULL.
#include <algorithm>

#include "common/base/check.h"
#include "taskmanager/operators/extreme_order.h"
#include "taskmanager/operators/kernel_base.h"

namespace weir::operators {
namespace {

constexpr uint32_t kValueOffset = sizeof(int64_t);

template <class T, bool kIsMax>
class ExtremeKernel final : public KernelBase<ExtremeKernel<T, kIsMax>, T> {
 public:
  ExtremeKernel(size_t argument, Retraction retraction, uint32_t offset)
      : KernelBase<ExtremeKernel<T, kIsMax>, T>(offset),
        argument_(argument),
        is_set_from_outside_(retraction == Retraction::kPossible) {}

  uint32_t bytes() const override {
    return kValueOffset + static_cast<uint32_t>(std::max(sizeof(T), sizeof(int64_t)));
  }

  Outcome Update(const AccumulatorRows& rows) const override {
    if (is_set_from_outside_) return Outcome::kOk;
    ForEachValue<T>(rows, rows.batch->column(argument_),
                    [this](Accumulator accumulator, T value, auto) {
                      Offer(accumulator + this->offset(), value);
                    });
    return Outcome::kOk;
  }

  void Merge(const MergeRows& rows) const override {
    for (size_t i = 0; i < rows.from.size(); ++i) {
      T value{};
      if (Value(rows.from[i], &value) == ValueState::kValue) {
        Offer(rows.into[i] + this->offset(), value);
      }
    }
  }

  ValueState Value(ConstAccumulator accumulator, T* value) const {
    const ConstAccumulator at = accumulator + this->offset();
    *value = LoadAs<T>(at + kValueOffset);
    return LoadAs<int64_t>(at) != 0 ? ValueState::kValue : ValueState::kNull;
  }

 private:
  static void Offer(Accumulator at, T value) {
    if (LoadAs<int64_t>(at) != 0) {
      const T held = LoadAs<T>(at + kValueOffset);
      if (kIsMax ? !IsBelow(held, value) : !IsBelow(value, held)) return;
    }
    StoreAs<int64_t>(at, 1);
    StoreAs(at + kValueOffset, value);
  }

  const size_t argument_;
  const bool is_set_from_outside_;
};

template <bool kIsMax>
class StringExtremeKernel final : public AggregateKernel {
 public:
  StringExtremeKernel(size_t argument, Retraction retraction, KernelPlace place)
      : argument_(argument),
        is_set_from_outside_(retraction == Retraction::kPossible),
        place_(place) {}

  uint32_t bytes() const override { return sizeof(uint64_t); }

  Outcome Update(const AccumulatorRows& rows) const override {
    if (is_set_from_outside_) return Outcome::kOk;
    const types::Column& column = rows.batch->column(argument_);
    for (size_t i = 0; i < rows.rows.size(); ++i) {
      if (column.IsNull(rows.rows[i])) continue;
      const StringView value = column.String(rows.rows[i]);
      const Accumulator at = rows.accumulators[i];
      if (rows.table->HasBlob(at, place_.blob_field) &&
          !IsBetter(value, rows.table->GetBlob(at, place_.blob_field))) {
        continue;
      }
      rows.table->SetBlob(at, place_.blob_field, value);
    }
    return Outcome::kOk;
  }

  void Merge(const MergeRows& rows) const override {
    const state::StateTable& table = *rows.table;
    const size_t field = place_.blob_field;
    for (size_t i = 0; i < rows.from.size(); ++i) {
      const ConstAccumulator from = rows.from[i];
      const Accumulator into = rows.into[i];
      if (!table.HasBlob(from, field)) continue;
      if (table.HasBlob(into, field) &&
          !IsBetter(table.GetBlob(from, field), table.GetBlob(into, field))) {
        continue;
      }
      StoreAs(into + place_.offset, LoadAs<uint64_t>(from + place_.offset));
    }
  }

  void Results(absl::Span<const ConstAccumulator> accumulators, const state::StateTable& table,
               ResultColumn* results) const override {
    results->Reset(accumulators.size());
    for (size_t i = 0; i < accumulators.size(); ++i) {
      if (table.HasBlob(accumulators[i], place_.blob_field)) {
        results->SetString(i, table.GetBlob(accumulators[i], place_.blob_field));
      } else {
        results->SetNull(i);
      }
    }
  }

 private:
  static bool IsBetter(StringView value, StringView held) {
    return kIsMax ? held < value : value < held;
  }

  const size_t argument_;
  const bool is_set_from_outside_;
  const KernelPlace place_;
};

template <class T>
std::unique_ptr<AggregateKernel> MakeFor(const graph::AggregateCall& call, Retraction retraction,
                                         KernelPlace place) {
  if (call.function == graph::AggregateFunction::kMax) {
    return std::make_unique<ExtremeKernel<T, true>>(*call.argument, retraction, place.offset);
  }
  return std::make_unique<ExtremeKernel<T, false>>(*call.argument, retraction, place.offset);
}

std::unique_ptr<AggregateKernel> MakeForStrings(const graph::AggregateCall& call,
                                                Retraction retraction, KernelPlace place) {
  if (call.function == graph::AggregateFunction::kMax) {
    return std::make_unique<StringExtremeKernel<true>>(*call.argument, retraction, place);
  }
  return std::make_unique<StringExtremeKernel<false>>(*call.argument, retraction, place);
}

}  // namespace

std::unique_ptr<AggregateKernel> MakeExtremeKernel(const graph::AggregateCall& call,
                                                   Retraction retraction, KernelPlace place) {
  switch (call.argument_type.kind) {
    case types::TypeKind::kBool:
      return MakeFor<uint8_t>(call, retraction, place);
    case types::TypeKind::kInt32:
    case types::TypeKind::kDate:
      return MakeFor<int32_t>(call, retraction, place);
    case types::TypeKind::kInt64:
    case types::TypeKind::kTimestamp:
      return MakeFor<int64_t>(call, retraction, place);
    case types::TypeKind::kDouble:
      return MakeFor<double>(call, retraction, place);
    case types::TypeKind::kDecimal:
      return MakeFor<types::Int128>(call, retraction, place);
    case types::TypeKind::kString:
      return MakeForStrings(call, retraction, place);
    case types::TypeKind::kNull:
    case types::TypeKind::kArray:
      break;
  }
  WEIR_CHECK(false);
}

void SetExtreme(Accumulator at, const void* value, size_t width) {
  StoreAs<int64_t>(at, value == nullptr ? 0 : 1);
  std::memset(at + kValueOffset, 0, std::max(width, sizeof(int64_t)));
  if (value != nullptr) std::memcpy(at + kValueOffset, value, width);
}

}  // namespace weir::operators
