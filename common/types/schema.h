// Schema: the names and types of a row's columns, in order.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <absl/types/optional.h>

#include "common/types/data_type.h"

namespace weir::types {

// Most columns of one row.
inline constexpr size_t kColumnCountMax = 1024;

struct Field {
  std::string name;
  DataType type;
  bool nullable = true;

  bool operator==(const Field&) const = default;
};

// Immutable; shared by the batches of an edge.
class Schema {
 public:
  // REQUIRES: names are unique; at most kColumnCountMax fields.
  explicit Schema(std::vector<Field> fields);

  size_t size() const { return fields_.size(); }
  const Field& field(size_t index) const { return fields_[index]; }
  const std::vector<Field>& fields() const { return fields_; }
  // Names are compared exactly.
  absl::optional<size_t> Find(StringView name) const;
  bool operator==(const Schema& other) const { return fields_ == other.fields_; }

  // "auction int64 not null, price decimal(12,2)"
  std::string ToString() const;

 private:
  std::vector<Field> fields_;
};

// Shared because every batch of an edge reads the same schema.
using SchemaPtr = std::shared_ptr<const Schema>;

}  // namespace weir::types
