#include "taskmanager/operators/group_updater.h"

#include <span>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/group_place.h"

namespace weir::operators {
namespace {

// An accumulator of this size most often lies on the cache line of its key.
constexpr size_t kNearBytes = 24;

}  // namespace

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
  if (plan_.key_count == 0 && !rows.positions.empty()) return FindOne(rows, accumulators);
  if (rows.positions.size() == rows.keys->size()) {
    WEIR_RETURN_IF_ERROR(accumulators->ProbeOrInsert(*rows.keys, &found_, &inserted_));
  } else {
    const std::span<const uint32_t> positions(rows.positions.data(), rows.positions.size());
    WEIR_RETURN_IF_ERROR(accumulators->ProbeOrInsert(*rows.keys, positions, &found_, &inserted_));
  }
  Prefetch();
  return absl::OkStatus();
}

// All rows have the one empty key.
absl::Status GroupUpdater::FindOne(const GroupRows& rows, state::StateTable* accumulators) {
  const std::span<const uint32_t> first(rows.positions.data(), 1);
  WEIR_RETURN_IF_ERROR(accumulators->ProbeOrInsert(*rows.keys, first, &found_, &inserted_));
  found_.resize(rows.positions.size(), found_[0]);
  inserted_.resize(rows.positions.size(), 0);
  return absl::OkStatus();
}

// Probing fetches where an accumulator begins. The kernels walk over all rows once each: what lies
// further on is fetched for all of them at once.
void GroupUpdater::Prefetch() const {
  constexpr size_t kLineBytes = 64;
  const size_t bytes = plan_.layout->value().bytes;
  if (bytes <= kNearBytes) return;
  for (const ConstAccumulator accumulator : found_) {
    for (size_t at = kLineBytes; at < bytes; at += kLineBytes) {
      __builtin_prefetch(accumulator + at, 1);
    }
    __builtin_prefetch(accumulator + bytes - 1, 1);
  }
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
  const std::string place =
      PlaceOfResult(plan_, applied_.overflow->aggregate, batch, applied_.overflow->row);
  return plan_.errors->Handle(static_cast<int64_t>(failed), place, kSumOverflow, metrics_);
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
