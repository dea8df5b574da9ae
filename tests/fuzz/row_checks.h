// What must hold of every decoder of rows, whatever bytes it is given.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/io/hash.h"
#include "common/types/row_decoder.h"
#include "common/types/row_encoder.h"
#include "tests/unit/common/types/decoded_rows.h"

namespace weir::fuzz {

// Each piece is copied with all that was not yet consumed.
inline constexpr size_t kPiecesMax = 32;

// How a text is cut into calls makes no difference.
inline types::DecodedRows DecodeInPieces(types::RowDecoder* decoder, const types::SchemaPtr& schema,
                                         const std::string& text) {
  types::DecodedRows whole = types::DecodeRows(decoder, schema, text);
  base::Random random(io::Xxh3(text));
  const size_t piece = 1 + text.size() / kPiecesMax + random.Below(64);
  const size_t rows_max = 1 + text.size() / kPiecesMax + random.Below(4);
  const types::DecodedRows pieces =
      types::DecodeRows(decoder, schema, text, piece, std::min(rows_max, types::kBatchRowsMax));
  WEIR_CHECK(pieces.rows == whole.rows);
  WEIR_CHECK(pieces.row_starts == whole.row_starts);
  WEIR_CHECK(pieces.error_count == whole.error_count);
  WEIR_CHECK(std::is_sorted(whole.row_starts.begin(), whole.row_starts.end()));
  return whole;
}

// The rows of `text` as `encoder` writes them.
inline std::string Rewrite(types::RowDecoder* decoder, const types::RowEncoder& encoder,
                           const types::SchemaPtr& schema, std::string text) {
  std::string written;
  types::BatchBuilder builder(schema);
  types::DecodeOutput output;
  const size_t size = text.size();
  text.resize(size + types::kDecodePadding);
  for (size_t at = 0; at < size; at += output.consumed) {
    types::DecodeInput input;
    input.bytes = StringView(text).substr(at, size - at);
    input.is_end = types::IsEnd::kYes;
    decoder->Decode(input, &builder, &output);
    WEIR_CHECK(output.consumed > 0);
    if (const types::BatchPtr batch = builder.Finish()) encoder.Append(*batch, &written);
  }
  return written;
}

// What is written of the rows that were read is read as the same rows.
inline void CheckReadsBack(types::RowDecoder* decoder, const types::RowEncoder& encoder,
                           const types::SchemaPtr& schema, const std::string& text,
                           const types::DecodedRows& rows) {
  const std::string written = Rewrite(decoder, encoder, schema, text);
  const types::DecodedRows again = types::DecodeRows(decoder, schema, written);
  WEIR_CHECK(again.error_count == 0);
  WEIR_CHECK(again.rows == rows.rows);
}

}  // namespace weir::fuzz
