#include "taskmanager/operators/window_merger.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/operators/ordered_value.h"

namespace weir::operators {
namespace {

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
      can_slide_(plan.layout->can_unmerge()),
      groups_(plan.keys->is_fixed(), plan.layout->value().bytes) {
  for (size_t i = 0; i < plan.layout->value_uses().size(); ++i) {
    merged_values_.push_back(NewScratchTable(state::KeyFormat::Bytes(), 0));
  }
}

bool WindowMerger::Includes(int64_t start) const {
  return std::binary_search(included_.begin(), included_.end(), start);
}

void WindowMerger::Clear() {
  WEIR_CHECK(!IsActive());
  if (included_.empty()) return;
  groups_.Clear();
  numbers_.clear();
  for (const auto& values : merged_values_) values->Clear();
  included_.clear();
  parts_.clear();
  next_part_ = 0;
}

void WindowMerger::FinishWindow() {
  if (!can_slide_) Clear();
}

void WindowMerger::Start(const std::vector<WindowSlice>& slices,
                         const std::vector<WindowSlice>& leaving) {
  WEIR_CHECK(!IsActive());
  parts_.clear();
  for (const WindowSlice& slice : leaving) {
    WEIR_CHECK(Includes(slice.start));
    parts_.push_back({slice.start, slice.tables, Direction::kSubtract});
  }
  std::vector<int64_t> included;
  included.reserve(slices.size());
  for (const WindowSlice& slice : slices) {
    included.push_back(slice.start);
    if (!Includes(slice.start)) parts_.push_back({slice.start, slice.tables, Direction::kAdd});
  }
  included_ = std::move(included);
  next_part_ = 0;
  next_table_ = 0;
  position_.reset();
  numbers_done_ = 0;
}

const state::StateTable* WindowMerger::CurrentTable() const {
  const GroupTables& tables = parts_[next_part_].tables;
  return next_table_ == 0 ? tables.accumulators : tables.values[next_table_ - 1];
}

void WindowMerger::NextTable() {
  position_.reset();
  if (next_table_++ < parts_[next_part_].tables.values.size()) return;
  next_table_ = 0;
  const Part& done = parts_[next_part_++];
  if (done.direction == Direction::kSubtract) numbers_.erase(done.start);
  numbers_done_ = 0;
}

absl::Status WindowMerger::Step() {
  const state::StateTable& table = *CurrentTable();
  if (!position_.has_value()) position_ = table.Read();
  rows_.Clear();
  WEIR_ASSIGN_OR_RETURN(const size_t count, table.AppendRows(&*position_, kMergeStepRows, &rows_));
  if (next_table_ == 0) {
    const Part& part = parts_[next_part_];
    WEIR_RETURN_IF_ERROR(part.direction == Direction::kAdd ? AddAccumulators(part)
                                                           : SubtractAccumulators(part));
  } else {
    WEIR_RETURN_IF_ERROR(MergeValues(next_table_ - 1));
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

absl::Status WindowMerger::AddAccumulators(const Part& part) {
  SetKeys(plan_.keys->is_fixed(), &keys_);
  WEIR_RETURN_IF_ERROR(groups_.FindOrAdd(keys_, &step_numbers_));
  groups_.Locate(step_numbers_, &into_);
  const MergeRows rows{rows_.values, into_, part.tables.accumulators};
  for (size_t k = 0; k < plan_.layout->size(); ++k) plan_.layout->kernel(k).Merge(rows);
  groups_.AddSlice(step_numbers_);
  if (can_slide_) {
    types::PodVector<uint32_t>& numbers = numbers_[part.start];
    numbers.insert(numbers.end(), step_numbers_.begin(), step_numbers_.end());
  }
  return absl::OkStatus();
}

absl::Status WindowMerger::SubtractAccumulators(const Part& part) {
  const types::PodVector<uint32_t>& all = numbers_[part.start];
  WEIR_CHECK(numbers_done_ + rows_.size() <= all.size());
  const auto numbers = absl::MakeConstSpan(all).subspan(numbers_done_, rows_.size());
  numbers_done_ += rows_.size();
  groups_.Locate(numbers, &into_);
  const MergeRows rows{rows_.values, into_, part.tables.accumulators};
  for (size_t k = 0; k < plan_.layout->size(); ++k) plan_.layout->kernel(k).Unmerge(rows);
  return groups_.RemoveSlice(numbers);
}

// Values that no earlier slice had count for their key, which that slice's accumulators made known.
absl::Status WindowMerger::MergeValues(size_t use_index) {
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
  WEIR_RETURN_IF_ERROR(groups_.FindOrAdd(keys_, &step_numbers_));
  groups_.Locate(step_numbers_, &into_);
  for (const Accumulator accumulator : into_) {
    for (const uint32_t offset : use.distinct_offsets) {
      StoreAs(accumulator + offset, LoadAs<int64_t>(accumulator + offset) + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace weir::operators
