// Decodes a text as a source would, piece by piece, and keeps rows as JSON lines to compare.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include "common/base/random.h"
#include "common/types/json/json_encoder.h"
#include "common/types/row_decoder.h"

namespace weir::types {

struct DecodedRows {
  std::vector<std::string> rows;   // as JSON lines
  std::vector<size_t> row_starts;  // offsets in the text
  int64_t error_count = 0;
  std::vector<std::string> errors;  // "offset: message"; the first of each call
};

// The environment's seed, or a fresh one.
inline uint64_t TestSeed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  uint64_t seed = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &seed)) return seed;
  return base::EntropySeed();
}

inline void AppendJsonLines(const BatchPtr& batch, std::vector<std::string>* rows) {
  if (batch == nullptr) return;
  std::string text;
  MakeJsonEncoder(batch->schema_ptr(), WithOp::kNo)->Append(*batch, &text);
  for (const StringView line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    rows->emplace_back(line);
  }
}

// Shows the decoder at most `piece` bytes more than it has seen, `rows_max` rows at a time. The
// bytes are copied into an allocation of their own, so that a sanitizer sees reads behind the
// padding.
inline DecodedRows DecodeRows(RowDecoder* decoder, const SchemaPtr& schema, StringView text,
                              size_t piece = SIZE_MAX, size_t rows_max = kBatchRowsMax) {
  DecodedRows result;
  BatchBuilder builder(schema);
  DecodeOutput output;
  size_t at = 0;
  size_t shown = 0;
  while (at < text.size()) {
    shown = std::max(shown, at);
    shown = text.size() - shown > piece ? shown + piece : text.size();
    std::string bytes(text.substr(at, shown - at));
    bytes.append(kDecodePadding, '}');
    bytes[shown - at] = '\0';
    DecodeInput input;
    input.bytes = StringView(bytes.data(), shown - at);
    input.rows_max = rows_max;
    input.is_end = shown == text.size() ? IsEnd::kYes : IsEnd::kNo;
    decoder->Decode(input, &builder, &output);
    for (const uint32_t start : output.row_starts) result.row_starts.push_back(at + start);
    result.error_count += output.errors.count;
    if (output.errors.count > 0) {
      result.errors.push_back(std::to_string(at + output.errors.first_at) + ": " +
                              output.errors.first_message);
    }
    AppendJsonLines(builder.Finish(), &result.rows);
    at += output.consumed;
    if (input.is_end == IsEnd::kYes && output.consumed == 0) break;
  }
  return result;
}

}  // namespace weir::types
