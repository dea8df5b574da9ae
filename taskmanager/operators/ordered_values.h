// OrderedValues: per key the values that are in a group, in order, so that when the smallest or
// largest is taken away the next one is known. Derived from a ValueTable's state, never stored.
#pragma once

#include <cstddef>
#include <memory>

#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::operators {

// Entries are an encoded key followed by the ordering part of an ordered value. No encoded key is
// the beginning of another, so the entries of a key stand together.
//
// Costs: O(log n) a change, and about entry + 20 bytes of memory each (+ 32 above 15 bytes).
// Thread: confined to one thread.
class OrderedValues {
 public:
  OrderedValues();
  ~OrderedValues();
  OrderedValues(const OrderedValues&) = delete;
  OrderedValues& operator=(const OrderedValues&) = delete;

  void Insert(StringView key, StringView value);
  void Erase(StringView key, StringView value);
  size_t size() const;

  // The least or greatest value of a key, good until the next change; nullopt: it has none.
  absl::optional<StringView> Least(StringView key) const;
  absl::optional<StringView> Greatest(StringView key) const;

 private:
  struct Set;
  std::unique_ptr<Set> set_;
};

}  // namespace weir::operators
