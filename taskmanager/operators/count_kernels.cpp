// count(*), count(x) and count(distinct x). Accumulator: one int64.
#include "taskmanager/operators/kernel_base.h"

namespace weir::operators {
namespace {

void Bump(Accumulator at, int64_t by) {
  StoreAs(at, LoadAs<int64_t>(at) + by);
}

class CountBase : public KernelBase<CountBase, int64_t> {
 public:
  using KernelBase::KernelBase;

  uint32_t bytes() const final { return sizeof(int64_t); }
  ValueState Value(ConstAccumulator accumulator, int64_t* value) const {
    *value = LoadAs<int64_t>(accumulator + offset());
    return ValueState::kValue;
  }
  void Merge(const MergeRows& rows) const override {
    for (size_t i = 0; i < rows.from.size(); ++i) {
      Bump(rows.into[i] + offset(), LoadAs<int64_t>(rows.from[i] + offset()));
    }
  }
  bool can_unmerge() const override { return true; }
  void Unmerge(const MergeRows& rows) const override {
    for (size_t i = 0; i < rows.from.size(); ++i) {
      Bump(rows.into[i] + offset(), -LoadAs<int64_t>(rows.from[i] + offset()));
    }
  }
};

class CountAllKernel final : public CountBase {
 public:
  using CountBase::CountBase;

  Outcome Update(const AccumulatorRows& rows) const override {
    if (rows.signs == nullptr) {
      for (const Accumulator accumulator : rows.accumulators) Bump(accumulator + offset(), 1);
    } else {
      for (size_t i = 0; i < rows.accumulators.size(); ++i) {
        Bump(rows.accumulators[i] + offset(), rows.signs[i]);
      }
    }
    return Outcome::kOk;
  }
};

class CountKernel final : public CountBase {
 public:
  CountKernel(size_t argument, uint32_t offset) : CountBase(offset), argument_(argument) {}

  Outcome Update(const AccumulatorRows& rows) const override {
    const types::Column& column = rows.batch->column(argument_);
    for (size_t i = 0; i < rows.rows.size(); ++i) {
      const int64_t counted = column.IsNull(rows.rows[i]) ? 0 : 1;
      Bump(rows.accumulators[i] + offset(),
           rows.signs == nullptr ? counted : counted * rows.signs[i]);
    }
    return Outcome::kOk;
  }

 private:
  const size_t argument_;
};

class CountDistinctKernel final : public CountBase {
 public:
  using CountBase::CountBase;
  Outcome Update(const AccumulatorRows& rows) const override { return Outcome::kOk; }
  void Merge(const MergeRows& rows) const override {}
  bool can_unmerge() const override { return false; }
};

}  // namespace

std::unique_ptr<AggregateKernel> MakeCountKernel(const graph::AggregateCall& call,
                                                 uint32_t offset) {
  switch (call.function) {
    case graph::AggregateFunction::kCount:
      return std::make_unique<CountKernel>(*call.argument, offset);
    case graph::AggregateFunction::kCountDistinct:
      return std::make_unique<CountDistinctKernel>(offset);
    default:
      return std::make_unique<CountAllKernel>(offset);
  }
}

}  // namespace weir::operators
