// RowEncoder: rows of a batch become the bytes of lines.
#pragma once

#include <string>

#include "common/base/string_view.h"
#include "common/types/record_batch.h"

namespace weir::types {

// Whether each line ends with the row's change kind in a column `_op`.
enum class WithOp : bool { kNo, kYes };

// "insert", "update_before", "update_after" or "delete".
StringView ChangeKindName(ChangeKind kind);

// Immutable; shared by subtasks.
class RowEncoder {
 public:
  virtual ~RowEncoder() = default;
  // What stands once at the start of a file; may be nothing.
  virtual void AppendHeader(std::string* out) const = 0;
  // One line per selected row. REQUIRES: the batch has the columns the encoder was made for.
  virtual void Append(const RecordBatch& batch, std::string* out) const = 0;
};

}  // namespace weir::types
