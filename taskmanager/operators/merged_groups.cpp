#include "taskmanager/operators/merged_groups.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::operators {

std::unique_ptr<state::StateTable> NewScratchTable(state::KeyFormat key, uint32_t value_bytes) {
  state::TableShape shape{
      {0, 0},
      1,
      std::make_shared<const state::TableLayout>(key, state::ValueLayout{value_bytes, {}})};
  return std::make_unique<state::StateTable>(std::make_shared<state::VersionedMemory>(),
                                             std::move(shape));
}

MergedGroups::MergedGroups(bool is_key_fixed, uint32_t accumulator_bytes)
    : is_key_fixed_(is_key_fixed),
      accumulator_bytes_(accumulator_bytes),
      numbers_(NewScratchTable(state::KeyFormat::Of(is_key_fixed), sizeof(int64_t))) {
}

absl::Status MergedGroups::FindOrAdd(const types::KeyBatch& keys,
                                     types::PodVector<uint32_t>* numbers) {
  WEIR_RETURN_IF_ERROR(numbers_->ProbeOrInsertInGroup(0, keys, &found_, &inserted_));
  numbers->resize(found_.size());
  for (size_t i = 0; i < found_.size(); ++i) {
    const int64_t stored = LoadAs<int64_t>(found_[i]);
    if (stored != 0) {
      (*numbers)[i] = static_cast<uint32_t>(stored - 1);
    } else {
      (*numbers)[i] = NewNumber(keys, i);
      StoreAs(found_[i], int64_t{(*numbers)[i]} + 1);
    }
  }
  return absl::OkStatus();
}

uint32_t MergedGroups::NewNumber(const types::KeyBatch& keys, size_t row) {
  uint32_t number = number_count();
  if (!free_numbers_.empty()) {
    number = free_numbers_.back();
    free_numbers_.pop_back();
  } else {
    slice_counts_.push_back(0);
    is_key_fixed_ ? fixed_keys_.resize(number + 1) : bytes_keys_.resize(number + 1);
    if (number >> kBlockBits == blocks_.size()) {
      blocks_.push_back(
          std::make_unique<std::byte[]>(std::max<size_t>(kBlockGroups * accumulator_bytes_, 1)));
    }
  }
  if (is_key_fixed_) {
    fixed_keys_[number] = keys.fixed[row];
  } else {
    const StringView key = keys.Bytes(row);
    bytes_keys_[number].assign(key.data(), key.size());
  }
  std::fill_n(At(number), accumulator_bytes_, std::byte{0});
  return number;
}

void MergedGroups::Locate(absl::Span<const uint32_t> numbers,
                          types::PodVector<Accumulator>* accumulators) {
  accumulators->resize(numbers.size());
  Accumulator* to = accumulators->data();
  for (const uint32_t number : numbers) *to++ = At(number);
}

void MergedGroups::AddSlice(absl::Span<const uint32_t> numbers) {
  for (const uint32_t number : numbers) ++slice_counts_[number];
}

absl::Status MergedGroups::RemoveSlice(absl::Span<const uint32_t> numbers) {
  for (const uint32_t number : numbers) {
    WEIR_DCHECK(slice_counts_[number] > 0);
    if (--slice_counts_[number] == 0) WEIR_RETURN_IF_ERROR(Forget(number));
  }
  return absl::OkStatus();
}

absl::Status MergedGroups::Forget(uint32_t number) {
  const StringView key =
      is_key_fixed_
          ? StringView(reinterpret_cast<const char*>(&fixed_keys_[number]), sizeof(int64_t))
          : StringView(bytes_keys_[number]);
  WEIR_ASSIGN_OR_RETURN(const bool was_there, numbers_->Erase({0, key}));
  WEIR_CHECK(was_there);
  free_numbers_.push_back(number);
  return absl::OkStatus();
}

void MergedGroups::Clear() {
  numbers_->Clear();
  slice_counts_.clear();
  fixed_keys_.clear();
  bytes_keys_.clear();
  free_numbers_.clear();
}

size_t MergedGroups::Append(size_t count_max, uint32_t* next, state::TableRows* rows) const {
  const size_t begin = rows->size();
  rows->values.resize(begin + count_max);
  if (is_key_fixed_) rows->fixed.resize(begin + count_max);
  uint32_t number = *next;
  size_t count = 0;
  for (; count < count_max && number < number_count(); ++number) {
    if (slice_counts_[number] == 0) continue;
    rows->values[begin + count] = At(number);
    if (is_key_fixed_) {
      rows->fixed[begin + count] = fixed_keys_[number];
    } else {
      rows->keys.push_back(bytes_keys_[number]);
    }
    ++count;
  }
  *next = number;
  rows->values.resize(begin + count);
  if (is_key_fixed_) rows->fixed.resize(begin + count);
  rows->groups.resize(begin + count, 0);
  return count;
}

}  // namespace weir::operators
