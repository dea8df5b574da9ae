#include "taskmanager/operators/window_merger.h"

#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/ordered_value.h"

namespace weir::operators {
namespace {

// A table in memory of its own, without key groups: what is in it is never stored.
std::unique_ptr<state::StateTable> NewScratch(state::KeyFormat key, uint32_t value_bytes) {
  // Strings stay in the slices: here their references are plain bytes.
  state::TableShape shape{
      {0, 0},
      1,
      std::make_shared<const state::TableLayout>(key, state::ValueLayout{value_bytes, {}})};
  return std::make_unique<state::StateTable>(std::make_shared<state::VersionedMemory>(),
                                             std::move(shape));
}

void Append(StringView bytes, types::KeyBatch* keys) {
  keys->bytes.insert(keys->bytes.end(), bytes.begin(), bytes.end());
  keys->offsets.push_back(static_cast<uint32_t>(keys->bytes.size()));
}

void Reset(bool is_fixed, types::KeyBatch* keys) {
  keys->is_fixed = is_fixed;
  keys->fixed.clear();
  keys->bytes.clear();
  keys->offsets.assign(1, 0);
}

// All keys are in the one group of a scratch table.
void EndKeys(size_t count, types::KeyBatch* keys) {
  keys->partition_hash.assign(count, 0);
}

}  // namespace

WindowMerger::WindowMerger(const GroupPlan& plan)
    : plan_(plan),
      merged_(NewScratch(state::KeyFormat::Of(plan.keys->is_fixed()), plan.layout->value().bytes)) {
  for (size_t i = 0; i < plan.layout->value_uses().size(); ++i) {
    merged_values_.push_back(NewScratch(state::KeyFormat::Bytes(), 0));
  }
}

void WindowMerger::Clear() {
  WEIR_CHECK(!IsActive());
  merged_->Clear();
  for (const auto& values : merged_values_) values->Clear();
  slices_.clear();
  next_slice_ = 0;
}

void WindowMerger::Start(std::vector<GroupTables> slices) {
  WEIR_CHECK(!IsActive());
  slices_ = std::move(slices);
  next_slice_ = 0;
  next_table_ = 0;
  position_.reset();
}

const state::StateTable* WindowMerger::CurrentTable() const {
  const GroupTables& slice = slices_[next_slice_];
  return next_table_ == 0 ? slice.accumulators : slice.values[next_table_ - 1];
}

void WindowMerger::NextTable() {
  position_.reset();
  if (next_table_++ < slices_[next_slice_].values.size()) return;
  next_table_ = 0;
  ++next_slice_;
}

absl::Status WindowMerger::Step() {
  const state::StateTable& table = *CurrentTable();
  if (!position_.has_value()) position_ = table.Read();
  rows_.Clear();
  WEIR_ASSIGN_OR_RETURN(const size_t count, table.AppendRows(&*position_, kMergeStepRows, &rows_));
  if (next_table_ == 0) {
    WEIR_RETURN_IF_ERROR(MergeAccumulators(slices_[next_slice_]));
  } else {
    WEIR_RETURN_IF_ERROR(MergeValues(next_table_ - 1, table));
  }
  if (count < kMergeStepRows) NextTable();
  return absl::OkStatus();
}

void WindowMerger::SetKeys(bool is_fixed, types::KeyBatch* keys) const {
  Reset(is_fixed, keys);
  if (is_fixed) {
    keys->fixed.assign(rows_.fixed.begin(), rows_.fixed.end());
  } else {
    for (const StringView key : rows_.keys) Append(key, keys);
  }
  EndKeys(rows_.size(), keys);
}

absl::Status WindowMerger::MergeAccumulators(const GroupTables& slice) {
  SetKeys(plan_.keys->is_fixed(), &keys_);
  WEIR_RETURN_IF_ERROR(merged_->ProbeOrInsert(keys_, &into_, &inserted_));
  for (size_t k = 0; k < plan_.layout->size(); ++k) {
    const AggregateKernel& kernel = plan_.layout->kernel(k);
    for (size_t i = 0; i < rows_.size(); ++i) {
      kernel.Merge(rows_.values[i], into_[i], *slice.accumulators);
    }
  }
  return absl::OkStatus();
}

// Values that no earlier slice had count for their key, which that slice's accumulators made known.
absl::Status WindowMerger::MergeValues(size_t use_index, const state::StateTable& values) {
  const ValueUse& use = plan_.layout->value_uses()[use_index];
  SetKeys(/*is_fixed=*/false, &value_keys_);
  WEIR_RETURN_IF_ERROR(merged_values_[use_index]->ProbeOrInsert(value_keys_, &into_, &inserted_));
  Reset(plan_.keys->is_fixed(), &keys_);
  size_t count = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (inserted_[i] == 0) continue;
    const StringView key = rows_.keys[i].substr(0, PrefixBeforeValue(rows_.keys[i], use.type));
    if (keys_.is_fixed) {
      keys_.fixed.push_back(LoadAs<int64_t>(key.data()));
    } else {
      Append(key, &keys_);
    }
    ++count;
  }
  EndKeys(count, &keys_);
  return CountDistinct(use);
}

absl::Status WindowMerger::CountDistinct(const ValueUse& use) {
  WEIR_RETURN_IF_ERROR(merged_->ProbeOrInsert(keys_, &into_, &inserted_));
  for (const Accumulator accumulator : into_) {
    for (const uint32_t offset : use.distinct_offsets) {
      StoreAs(accumulator + offset, LoadAs<int64_t>(accumulator + offset) + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace weir::operators
