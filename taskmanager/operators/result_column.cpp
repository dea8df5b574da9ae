#include "taskmanager/operators/result_column.h"

#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace weir::operators {
namespace {

template <class T>
void Interleave(const void* before, const void* after, absl::Span<const uint32_t> from, char* to) {
  const char* sources[2] = {static_cast<const char*>(before), static_cast<const char*>(after)};
  for (const uint32_t index : from) {
    std::memcpy(to, sources[index & 1] + (index >> 1) * sizeof(T), sizeof(T));
    to += sizeof(T);
  }
}

void InterleaveFixed(size_t width, const char* before, const char* after,
                     absl::Span<const uint32_t> from, char* to) {
  switch (width) {
    case 1:
      return Interleave<uint8_t>(before, after, from, to);
    case 4:
      return Interleave<int32_t>(before, after, from, to);
    case 8:
      return Interleave<int64_t>(before, after, from, to);
    default:
      return Interleave<types::Int128>(before, after, from, to);
  }
}

types::Buffer ValidityBuffer(types::PodVector<uint8_t> validity) {
  return validity.empty() ? types::Buffer() : types::Buffer::Of(std::move(validity));
}

}  // namespace

ResultColumn::ResultColumn(types::DataType type)
    : type_(type), width_(types::FixedWidth(type.kind)) {
  WEIR_CHECK(!type.IsArray());
}

void ResultColumn::Reset(size_t size) {
  size_ = size;
  fixed_.resize(size * width_);
  if (width_ == 0) strings_.assign(size, StringView());
  null_.clear();
  failed_.clear();
}

void ResultColumn::Mark(types::PodVector<uint8_t>* marks, size_t i) {
  if (marks->empty()) {
    marks->resize(size_);
    std::memset(marks->data(), 0, size_);
  }
  (*marks)[i] = 1;
}

void ResultColumn::OwnStrings() {
  if (width_ > 0) return;
  size_t bytes = 0;
  for (const StringView text : strings_) bytes += text.size();
  owned_.clear();
  owned_.reserve(bytes);
  for (StringView& text : strings_) {
    const size_t at = owned_.size();
    owned_.append(text.data(), text.size());
    text = StringView(owned_.data() + at, text.size());
  }
}

void ResultColumn::MarkDifferences(const ResultColumn& other, uint8_t* differs) const {
  WEIR_DCHECK(other.size_ == size_);
  const auto mark = [&](auto is_same) {
    const bool any_null = !null_.empty() || !other.null_.empty();
    for (size_t i = 0; i < size_; ++i) {
      if (any_null && IsNull(i) != other.IsNull(i)) differs[i] = 1;
      if (any_null && IsNull(i)) continue;
      if (!is_same(i)) differs[i] = 1;
    }
  };
  if (width_ == 0) return mark([&](size_t i) { return strings_[i] == other.strings_[i]; });
  const char* a = fixed_.data();
  const char* b = other.fixed_.data();
  if (width_ == sizeof(int64_t)) {
    return mark([&](size_t i) {
      return std::memcmp(a + i * sizeof(int64_t), b + i * sizeof(int64_t), sizeof(int64_t)) == 0;
    });
  }
  mark([&](size_t i) { return std::memcmp(a + i * width_, b + i * width_, width_) == 0; });
}

types::ColumnPtr ResultColumn::ToColumn(size_t begin, size_t count) const {
  WEIR_DCHECK(begin + count <= size_);
  if (width_ == 0) {
    types::ColumnBuilder builder(type_);
    builder.Reserve(count);
    for (size_t i = begin; i < begin + count; ++i) {
      IsNull(i) ? builder.AppendNull() : builder.AppendString(strings_[i]);
    }
    return builder.Finish();
  }
  types::PodVector<uint8_t> validity;
  if (!null_.empty() || !failed_.empty()) {
    validity.resize(count);
    for (size_t i = 0; i < count; ++i) {
      validity[i] = IsNull(begin + i) || IsFailed(begin + i) ? 0 : 1;
    }
  }
  const char* from = fixed_.data() + begin * width_;
  types::PodVector<char> values(count * width_);
  if (count > 0) std::memcpy(values.data(), from, count * width_);
  return types::Column::Fixed(type_, count, types::Buffer::Of(std::move(values)),
                              ValidityBuffer(std::move(validity)));
}

types::ColumnPtr InterleaveResults(const ResultColumn& before, const ResultColumn& after,
                                   absl::Span<const uint32_t> from) {
  const ResultColumn* sources[2] = {&before, &after};
  const auto is_null = [&](uint32_t index) { return sources[index & 1]->IsNull(index >> 1); };
  if (after.width_ == 0) {
    types::ColumnBuilder builder(after.type_);
    for (const uint32_t index : from) {
      is_null(index) ? builder.AppendNull()
                     : builder.AppendString(sources[index & 1]->String(index >> 1));
    }
    return builder.Finish();
  }
  types::PodVector<char> values(from.size() * after.width_);
  InterleaveFixed(after.width_, before.fixed_.data(), after.fixed_.data(), from, values.data());
  types::PodVector<uint8_t> validity;
  if (!before.null_.empty() || !after.null_.empty()) {
    validity.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) validity[i] = is_null(from[i]) ? 0 : 1;
  }
  return types::Column::Fixed(after.type_, from.size(), types::Buffer::Of(std::move(values)),
                              ValidityBuffer(std::move(validity)));
}

}  // namespace weir::operators
