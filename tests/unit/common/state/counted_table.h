// A table whose values are counts, and what a test does with it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/table_samples.h"

namespace weir::state {

inline const KeyFormat kInt64 = KeyFormat::Fixed8();

struct CountedTable {
  std::shared_ptr<VersionedMemory> memory = std::make_shared<VersionedMemory>();
  TableShape shape;
  StateTable table;
  types::PodVector<std::byte*> values;
  types::PodVector<uint8_t> inserted;

  explicit CountedTable(ValueLayout value = {8, {}}, KeyFormat key = kInt64, uint32_t groups = 10)
      : shape(ShapeOf(key, std::move(value), groups)), table(memory, shape) {}

  // Adds 1 to each key's value.
  void Count(const std::vector<std::string>& keys) {
    REQUIRE(table.ProbeOrInsert(BatchOf(shape.layout->key(), keys), &values, &inserted).ok());
    for (std::byte* value : values) SetNumber(value, NumberAt(value) + 1);
  }
  void CountInts(int64_t first, int64_t last) {
    std::vector<std::string> keys;
    for (int64_t key = first; key < last; ++key) keys.push_back(FixedKey(key));
    Count(keys);
  }
};

}  // namespace weir::state
