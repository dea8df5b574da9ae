// ResultColumn: what an aggregate gives for a run of accumulators, before it is decided which of
// the values are emitted. Reused from batch to batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/types/span.h>

#include "common/base/string_view.h"
#include "common/types/column.h"

namespace weir::operators {

// Thread:    confined to one thread.
// Invariant: size() values of one type: fixed-width ones in fixed(), strings in strings().
class ResultColumn {
 public:
  explicit ResultColumn(types::DataType type);

  const types::DataType& type() const { return type_; }
  size_t size() const { return size_; }

  // Makes room for `size` values, none of them NULL or failed.
  void Reset(size_t size);

  // REQUIRES: T is the type's value type.
  template <class T>
  T* Fixed() {
    return reinterpret_cast<T*>(fixed_.data());
  }
  void SetString(size_t i, StringView value) { strings_[i] = value; }
  StringView String(size_t i) const { return strings_[i]; }
  void SetNull(size_t i) { Mark(&null_, i); }
  // The value does not fit its type.
  void SetFailed(size_t i) { Mark(&failed_, i); }

  bool IsNull(size_t i) const { return !null_.empty() && null_[i] != 0; }
  bool AnyFailed() const { return !failed_.empty(); }
  bool IsFailed(size_t i) const { return !failed_.empty() && failed_[i] != 0; }
  size_t ByteSizeOf(size_t i) const { return width_ > 0 ? width_ : strings_[i].size(); }

  // Copies the strings, so that they outlive a change of the state they were views of.
  void OwnStrings();

  // Sets differs[i] where this and `other` (of the same type and size) have different values.
  void MarkDifferences(const ResultColumn& other, uint8_t* differs) const;

  // Values begin..begin+count as a column; a failed one as NULL.
  // REQUIRES: strings of less than 4 GiB.
  types::ColumnPtr ToColumn(size_t begin, size_t count) const;

 private:
  friend types::ColumnPtr InterleaveResults(const ResultColumn& before, const ResultColumn& after,
                                            absl::Span<const uint32_t> from);
  void Mark(types::PodVector<uint8_t>* marks, size_t i);

  types::DataType type_;
  size_t width_;  // 0: strings
  size_t size_ = 0;
  types::PodVector<char> fixed_;
  std::vector<StringView> strings_;
  std::string owned_;
  types::PodVector<uint8_t> null_;    // empty: no value is NULL
  types::PodVector<uint8_t> failed_;  // empty: none failed
};

// Row i of the column is before's value from[i] / 2 if from[i] is even, else after's.
// REQUIRES: one type; none of the values chosen has failed; strings of less than 4 GiB.
types::ColumnPtr InterleaveResults(const ResultColumn& before, const ResultColumn& after,
                                   absl::Span<const uint32_t> from);

}  // namespace weir::operators
