// Buffer: an immutable run of bytes that shares ownership of the memory behind it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/string_view.h"

namespace weir::types {

// Leaves new elements uninitialised, so that resize() before a kernel fills them costs nothing.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

// A vector of plain values whose resize() does not clear.
template <class T>
using PodVector = std::vector<T, UninitializedAllocator<T>>;

// Immutable; a copy shares the memory. The owner keeps the memory alive: a vector, a received
// block, or nothing for static data.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const void* data, size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  // Takes the vector over; no copy.
  template <class T, class A>
  static Buffer Of(std::vector<T, A> values) {
    auto owner = std::make_shared<const std::vector<T, A>>(std::move(values));
    const void* data = owner->data();
    const size_t size = owner->size() * sizeof(T);
    return Buffer(data, size, std::move(owner));
  }

  const void* data() const { return data_; }
  size_t size() const { return size_; }  // bytes
  bool empty() const { return size_ == 0; }
  // REQUIRES: the memory holds values of T, aligned for T.
  template <class T>
  const T* As() const {
    return static_cast<const T*>(data_);
  }

 private:
  const void* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace weir::types
