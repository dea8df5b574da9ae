// GrowingArray: plain values appended one by one or in runs, then handed over as a Buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "common/base/check.h"
#include "common/types/buffer.h"

namespace weir::types {

// What a vector would be, but an append that fits is a comparison and a store: this is where every
// decoded value goes.
// Thread: confined to one thread.
template <class T>
class GrowingArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept
      : values_(std::move(other.values_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  GrowingArray& operator=(GrowingArray&&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return values_.get(); }
  // REQUIRES: !empty().
  T back() const { return values_[size_ - 1]; }

  void Reserve(size_t capacity) {
    if (capacity > capacity_) Move(capacity);
  }
  void Append(T value) { *Extend(1) = value; }
  // Adds `count` values that the caller writes; returns the first.
  T* Extend(size_t count) {
    if (capacity_ - size_ < count) [[unlikely]]
      Move(std::max(size_ + count, 2 * capacity_));
    T* first = values_.get() + size_;
    size_ += count;
    return first;
  }
  void Append(T value, size_t count) { std::fill_n(Extend(count), count, value); }

  // All values; the array is empty afterwards and has no memory.
  Buffer Finish() {
    const T* data = values_.get();
    const size_t bytes = std::exchange(size_, 0) * sizeof(T);
    capacity_ = 0;
    return Buffer(data, bytes, std::shared_ptr<const T[]>(std::move(values_)));
  }

 private:
  static constexpr size_t kCapacityMin = std::max<size_t>(64 / sizeof(T), 1);

  [[gnu::noinline]] void Move(size_t wanted) {
    const size_t capacity = std::max(wanted, kCapacityMin);
    std::unique_ptr<T[]> larger = std::make_unique_for_overwrite<T[]>(capacity);
    // Memory functions take no null, not even for no bytes.
    if (size_ > 0) std::memcpy(larger.get(), values_.get(), size_ * sizeof(T));
    values_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<T[]> values_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace weir::types
