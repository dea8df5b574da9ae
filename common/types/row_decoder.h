// RowDecoder: the bytes of rows, as they lie in a file, become rows of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/types/optional.h>

#include "common/base/string_view.h"
#include "common/types/buffer.h"
#include "common/types/record_batch.h"

namespace weir::types {

// Bytes that can be read behind those a decoder is given, because vector instructions read whole
// words. The first is zero, so that nothing there looks like more of the last row; the others'
// values do not matter.
inline constexpr size_t kDecodePadding = 64;

// Where one column's value comes from.
struct ColumnSource {
  std::string from;                          // a JSON path or CSV header; empty: the column's name
  absl::optional<std::string> default_text;  // taken when the value is missing
};

// The rows of one Decode() that could not be decoded.
struct RowErrors {
  int64_t count = 0;
  size_t first_at = 0;        // where the first one starts, counted from the start of the input
  std::string first_message;  // of the others only the count is kept

  void Add(size_t at, std::string message) {
    if (count++ > 0) return;
    first_at = at;
    first_message = std::move(message);
  }
};

enum class IsEnd : bool { kNo, kYes };

struct DecodeInput {
  // Begins where a row begins; kDecodePadding bytes follow.
  StringView bytes;
  // A row that starts here or behind is not decoded.
  size_t start_limit = SIZE_MAX;
  size_t rows_max = kBatchRowsMax;
  // kYes: no byte follows, so that the last row may lack its line end.
  IsEnd is_end = IsEnd::kNo;
};

struct DecodeOutput {
  size_t consumed = 0;  // bytes whose rows are decoded or in error; the next row starts behind them
  RowErrors errors;
  PodVector<uint32_t> row_starts;  // per row that was appended, where it starts in the input

  void Clear() {
    consumed = 0;
    errors = RowErrors();
    row_starts.clear();
  }
};

// What a row becomes depends on its own bytes only, never on what is decoded with it: a restored
// source cuts its input into other pieces.
//
// Thread: confined to one thread; keeps scratch memory.
class RowDecoder {
 public:
  virtual ~RowDecoder() = default;
  // Appends the whole rows at the start of `input` to `rows`, at most rows_max, and clears and
  // fills `output`. Returns with nothing consumed if not even one row is whole: the caller brings
  // more bytes, or ends with IsEnd::kYes. `rows` may be full before the input is used up. REQUIRES:
  // rows->size() + rows_max <= kBatchRowsMax; rows_max > 0.
  virtual void Decode(const DecodeInput& input, BatchBuilder* rows, DecodeOutput* output) = 0;
};

// Bytes of input one Decode() takes at most, beyond the row it is in.
inline constexpr size_t kDecodeBytesMax = kBatchBytesMax;

}  // namespace weir::types
