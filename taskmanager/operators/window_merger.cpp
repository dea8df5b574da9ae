#include "taskmanager/operators/window_merger.h"

#include <algorithm>
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
      can_slide_(plan.layout->can_unmerge()),
      merged_(NewScratch(state::KeyFormat::Of(plan.keys->is_fixed()),
                         plan.layout->value().bytes + static_cast<uint32_t>(sizeof(int64_t)))) {
  for (size_t i = 0; i < plan.layout->value_uses().size(); ++i) {
    merged_values_.push_back(NewScratch(state::KeyFormat::Bytes(), 0));
  }
}

bool WindowMerger::Includes(int64_t start) const {
  return std::binary_search(included_.begin(), included_.end(), start);
}

void WindowMerger::Clear() {
  WEIR_CHECK(!IsActive());
  if (included_.empty()) return;
  merged_->Clear();
  for (const auto& values : merged_values_) values->Clear();
  included_.clear();
  parts_.clear();
  next_part_ = 0;
}

void WindowMerger::FinishWindow() {
  if (!can_slide_) Clear();
}

void WindowMerger::Start(std::vector<WindowSlice> slices, std::vector<WindowSlice> leaving) {
  WEIR_CHECK(!IsActive());
  parts_.clear();
  for (const WindowSlice& slice : leaving) {
    WEIR_CHECK(Includes(slice.start));
    parts_.push_back({slice.tables, Direction::kSubtract});
  }
  std::vector<int64_t> included;
  for (const WindowSlice& slice : slices) {
    included.push_back(slice.start);
    if (!Includes(slice.start)) parts_.push_back({slice.tables, Direction::kAdd});
  }
  included_ = std::move(included);
  next_part_ = 0;
  next_table_ = 0;
  position_.reset();
}

const state::StateTable* WindowMerger::CurrentTable() const {
  const GroupTables& tables = parts_[next_part_].tables;
  return next_table_ == 0 ? tables.accumulators : tables.values[next_table_ - 1];
}

void WindowMerger::NextTable() {
  position_.reset();
  if (next_table_++ < parts_[next_part_].tables.values.size()) return;
  next_table_ = 0;
  ++next_part_;
}

absl::Status WindowMerger::Step() {
  const state::StateTable& table = *CurrentTable();
  if (!position_.has_value()) position_ = table.Read();
  rows_.Clear();
  WEIR_ASSIGN_OR_RETURN(const size_t count, table.AppendRows(&*position_, kMergeStepRows, &rows_));
  if (next_table_ == 0) {
    WEIR_RETURN_IF_ERROR(MergeAccumulators(parts_[next_part_]));
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

absl::Status WindowMerger::MergeAccumulators(const Part& part) {
  SetKeys(plan_.keys->is_fixed(), &keys_);
  WEIR_RETURN_IF_ERROR(merged_->ProbeOrInsert(keys_, &into_, &inserted_));
  const MergeRows rows{rows_.values, into_, part.tables.accumulators};
  const bool is_adding = part.direction == Direction::kAdd;
  for (size_t k = 0; k < plan_.layout->size(); ++k) {
    const AggregateKernel& kernel = plan_.layout->kernel(k);
    is_adding ? kernel.Merge(rows) : kernel.Unmerge(rows);
  }
  AddToPresence(is_adding ? 1 : -1);
  return is_adding ? absl::OkStatus() : EraseAbsent();
}

void WindowMerger::AddToPresence(int64_t by) {
  const size_t offset = plan_.layout->value().bytes;
  for (const Accumulator accumulator : into_) {
    StoreAs(accumulator + offset, LoadAs<int64_t>(accumulator + offset) + by);
  }
}

// Erases the keys of the step that are in no included slice any more.
absl::Status WindowMerger::EraseAbsent() {
  const size_t offset = plan_.layout->value().bytes;
  types::PodVector<uint32_t> absent;
  for (size_t i = 0; i < into_.size(); ++i) {
    const int64_t slices = LoadAs<int64_t>(into_[i] + offset);
    WEIR_CHECK(slices >= 0);
    if (slices == 0) absent.push_back(static_cast<uint32_t>(i));
  }
  for (const uint32_t row : absent) {
    const auto key = state::TableKey::Of(keys_, row, merged_->shape().max_parallelism);
    WEIR_RETURN_IF_ERROR(merged_->Erase(key).status());
  }
  return absl::OkStatus();
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
  WEIR_RETURN_IF_ERROR(merged_->ProbeOrInsert(keys_, &into_, &inserted_));
  for (const Accumulator accumulator : into_) {
    for (const uint32_t offset : use.distinct_offsets) {
      StoreAs(accumulator + offset, LoadAs<int64_t>(accumulator + offset) + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace weir::operators
