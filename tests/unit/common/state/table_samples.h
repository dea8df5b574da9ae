// What the state tests share: the seed, keys, batches and tables made from them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/state/state_table.h"

namespace weir::state {

// WEIR_TEST_SEED if it is set.
inline uint64_t TestSeed(uint64_t otherwise) {
  const char* text = std::getenv("WEIR_TEST_SEED");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline std::string FixedKey(int64_t key) {
  return std::string(reinterpret_cast<const char*>(&key), sizeof(key));
}

inline uint32_t PartitionHash(const KeyFormat& format, const std::string& key) {
  if (format.kind == KeyFormat::Kind::kBytes) return types::HashKeyBytes(key);
  int64_t number = 0;
  std::memcpy(&number, key.data(), sizeof(number));
  return types::HashInt64Key(number);
}

inline void AddKey(const KeyFormat& format, const std::string& key, types::KeyBatch* batch) {
  batch->is_fixed = format.kind == KeyFormat::Kind::kFixed8;
  if (batch->is_fixed) {
    int64_t number = 0;
    std::memcpy(&number, key.data(), sizeof(number));
    batch->fixed.push_back(number);
  } else {
    if (batch->offsets.empty()) batch->offsets.push_back(0);
    batch->bytes.insert(batch->bytes.end(), key.begin(), key.end());
    batch->offsets.push_back(static_cast<uint32_t>(batch->bytes.size()));
  }
  batch->partition_hash.push_back(PartitionHash(format, key));
}

inline types::KeyBatch BatchOf(const KeyFormat& format, const std::vector<std::string>& keys) {
  types::KeyBatch batch;
  batch.is_fixed = format.kind == KeyFormat::Kind::kFixed8;
  for (const std::string& key : keys) AddKey(format, key, &batch);
  return batch;
}

inline TableShape ShapeOf(KeyFormat key, ValueLayout value, uint32_t max_parallelism) {
  return {{0, max_parallelism - 1},
          max_parallelism,
          std::make_shared<TableLayout>(key, std::move(value))};
}

inline TableKey KeyOf(const TableShape& shape, const std::string& key) {
  return {KeyGroupOfHash(PartitionHash(shape.layout->key(), key), shape.max_parallelism), key};
}

inline uint64_t NumberAt(const std::byte* value) {
  uint64_t number = 0;
  std::memcpy(&number, value, sizeof(number));
  return number;
}
inline void SetNumber(std::byte* value, uint64_t number) {
  std::memcpy(value, &number, sizeof(number));
}

// Key -> the first word of its value.
using Contents = std::map<std::string, uint64_t>;

inline Contents ContentsOf(TableCursor cursor) {
  Contents contents;
  while (cursor.Next()) {
    contents[std::string(cursor.key().data(), cursor.key().size())] = NumberAt(cursor.value());
  }
  return contents;
}
inline Contents ContentsOf(const TableSnapshot& snapshot) {
  return ContentsOf(snapshot.Read(snapshot.shape().range));
}
inline Contents ContentsOf(const StateTable& table) {
  return ContentsOf(table.Read().cursor);
}

}  // namespace weir::state
