// Located: an option's value together with the node that set it, for errors that are found later.
#pragma once

#include <utility>

#include "common/config/node.h"

namespace weir::config {

// `node` is null while the value is a default. The document must outlive it.
template <class T>
struct Located {
  T value{};
  const Node* node = nullptr;

  Located() = default;
  // Implicit, so that a default is written `Located<int64_t> limit = 10;`.
  Located(T initial) : value(std::move(initial)) {}  // NOLINT(google-explicit-constructor)

  bool IsSet() const { return node != nullptr; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

}  // namespace weir::config
