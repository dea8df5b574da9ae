#include "taskmanager/operators/group_updater.h"

#include <span>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"

namespace weir::operators {

GroupUpdater::GroupUpdater(const GroupPlan& plan, OperatorMetrics& metrics)
    : plan_(plan), metrics_(metrics) {
  for (const ValueUse& use : plan.layout->value_uses()) {
    values_.push_back(std::make_unique<ValueTable>(use, plan.layout->retraction()));
  }
}

absl::Status GroupUpdater::Open(absl::Span<state::StateTable* const> values) {
  WEIR_CHECK(values.size() == values_.size());
  for (size_t i = 0; i < values.size(); ++i) {
    WEIR_RETURN_IF_ERROR(values_[i]->RebuildIndex(*values[i]));
  }
  return absl::OkStatus();
}

absl::Status GroupUpdater::Find(const GroupRows& rows, state::StateTable* accumulators) {
  if (rows.positions.size() == rows.keys->size()) {
    return accumulators->ProbeOrInsert(*rows.keys, &found_, &inserted_);
  }
  return accumulators->ProbeOrInsert(
      *rows.keys, std::span<const uint32_t>(rows.positions.data(), rows.positions.size()), &found_,
      &inserted_);
}

const TouchedGroups& GroupUpdater::Touch() {
  touched_.Collect(found_, inserted_);
  return touched_;
}

absl::Status GroupUpdater::Apply(const GroupRows& rows, const GroupTables& tables) {
  const types::RecordBatch& batch = *rows.batch;
  const absl::Span<const uint32_t> physical = batch.rows();
  const size_t count = rows.positions.size();
  applied_.positions.assign(rows.positions.begin(), rows.positions.end());
  applied_.rows.resize(count);
  for (size_t i = 0; i < count; ++i) applied_.rows[i] = physical[rows.positions[i]];
  applied_.accumulators = found_;
  WEIR_RETURN_IF_ERROR(
      ReadSigns(batch, applied_.rows, plan_.layout->retraction(), &applied_.signs));
  plan_.layout->Apply(batch, tables.accumulators, &applied_);
  for (size_t i = 0; i < values_.size(); ++i) {
    WEIR_RETURN_IF_ERROR(
        values_[i]->Apply(batch, *rows.keys, applied_, tables.accumulators, tables.values[i]));
  }
  const size_t failed = count - applied_.rows.size();
  if (failed == 0) return absl::OkStatus();
  return plan_.errors->Handle(static_cast<int64_t>(failed), "", kSumOverflow, metrics_);
}

bool GroupUpdater::MayHaveEmpty() const {
  return plan_.layout->retraction() == Retraction::kPossible ||
         applied_.rows.size() < found_.size();
}

absl::Status GroupUpdater::FindExisting() {
  exists_.assign(touched_.size(), 1);
  if (plan_.layout->retraction() == Retraction::kPossible) {
    for (size_t i = 0; i < touched_.size(); ++i) {
      const int64_t rows = plan_.layout->RowCount(touched_.accumulators()[i]);
      if (rows < 0) return absl::FailedPreconditionError(kUnknownRowDeleted);
      exists_[i] = rows > 0 ? 1 : 0;
    }
  } else if (applied_.rows.size() < found_.size()) {
    // A new group all of whose rows were left out is none.
    for (size_t i = 0; i < touched_.size(); ++i) exists_[i] = touched_.is_new(i) ? 0 : 1;
    for (const ConstAccumulator accumulator : applied_.accumulators) {
      exists_[touched_.IndexOf(accumulator)] = 1;
    }
  }
  return absl::OkStatus();
}

absl::Status GroupUpdater::EraseEmpty(const GroupRows& rows, state::StateTable* accumulators) {
  for (size_t i = 0; i < touched_.size(); ++i) {
    if (exists_[i] != 0) continue;
    const auto key = state::TableKey::Of(*rows.keys, rows.positions[touched_.first_row(i)],
                                         accumulators->shape().max_parallelism);
    WEIR_RETURN_IF_ERROR(accumulators->Erase(key).status());
  }
  return absl::OkStatus();
}

}  // namespace weir::operators
