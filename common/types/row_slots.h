// RowSlots: the values of one row while it is being decoded.
// A row is appended to the batch only when all of it is known to be good, so an error in its last
// column leaves nothing behind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/types/row_decoder.h"

namespace weir::types {

struct Slot {
  enum class State : uint8_t { kMissing, kNull, kValue };

  State state = State::kMissing;
  int64_t integer = 0;  // of bool, int32, int64, date, timestamp
  double real = 0;      // of double
  Int128 decimal = 0;   // of decimal
  StringView text;      // of string; the bytes must live until AppendTo()
};

// Thread: confined to one thread.
class RowSlots {
 public:
  // INVALID_ARGUMENT: a default is not a value of its column's type; names the column.
  // REQUIRES: one source per field; no field is an array.
  static absl::StatusOr<std::unique_ptr<RowSlots>> Make(SchemaPtr schema,
                                                        std::vector<ColumnSource> sources);

  const Schema& schema() const { return *schema_; }
  const SchemaPtr& schema_ptr() const { return schema_; }
  const std::vector<ColumnSource>& sources() const { return sources_; }

  // All slots are missing.
  void Begin() {
    for (Slot& slot : slots_) slot.state = Slot::State::kMissing;
  }
  Slot& operator[](size_t column) { return slots_[column]; }

  // Fills in defaults, and NULL where there is none. nullopt: the row is good; otherwise the first
  // column that must not be null and is.
  absl::optional<size_t> Complete();
  // The error for a column that Complete() found.
  std::string NullError(size_t column) const;

  // REQUIRES: Complete() found nothing.
  void AppendTo(BatchBuilder* rows) const;

  // Use Make().
  RowSlots(SchemaPtr schema, std::vector<ColumnSource> sources);

 private:
  const SchemaPtr schema_;
  const std::vector<ColumnSource> sources_;
  std::vector<Slot> slots_;
  std::vector<Slot> defaults_;  // kNull where there is none; texts lie in sources_
  std::vector<bool> was_missing_;
};

}  // namespace weir::types
