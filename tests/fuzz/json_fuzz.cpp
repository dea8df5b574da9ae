// Any bytes whatever as JSON lines: each line is a row or an error, read the fast and the careful
// way alike, and rows are written and read again the same.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/types/json/json_decoder.h"
#include "common/types/json/json_encoder.h"
#include "tests/fuzz/row_checks.h"

namespace weir::types {
namespace {

const SchemaPtr& Flat() {
  static const SchemaPtr schema =
      std::make_shared<const Schema>(std::vector<Field>{{"b", kBoolType},
                                                        {"i", kInt32Type},
                                                        {"l", kInt64Type},
                                                        {"d", kDoubleType},
                                                        {"s", kStringType},
                                                        {"t", kTimestampType},
                                                        {"day", kDateType},
                                                        {"m", DecimalType(38, 6)},
                                                        {"s2", kStringType}});
  return schema;
}

std::unique_ptr<RowDecoder> DecoderOf(const SchemaPtr& schema, UnknownJsonFields unknown,
                                      std::vector<ColumnSource> sources) {
  sources.resize(schema->size());
  auto decoder =
      MakeJsonDecoder(schema, {.unknown_fields = unknown, .sources = std::move(sources)});
  WEIR_CHECK(decoder.ok());
  return *std::move(decoder);
}

// A line that is not UTF-8 makes the decoder read every line by itself.
void CheckCarefulWay(RowDecoder* decoder, const SchemaPtr& schema, const std::string& text,
                     const DecodedRows& rows) {
  const DecodedRows careful = DecodeRows(decoder, schema, "\xFF\n" + text);
  WEIR_CHECK(careful.rows == rows.rows);
  WEIR_CHECK(careful.error_count == rows.error_count + 1);
}

void DecodeFlat(const std::string& text) {
  const auto decoder = DecoderOf(Flat(), UnknownJsonFields::kIgnore, {});
  const DecodedRows rows = fuzz::DecodeInPieces(decoder.get(), Flat(), text);
  CheckCarefulWay(decoder.get(), Flat(), text, rows);
  fuzz::CheckReadsBack(decoder.get(), *MakeJsonEncoder(Flat(), WithOp::kNo), Flat(), text, rows);
}

// Paths, defaults, one value for two columns, and columns that are never null.
void DecodeNested(const std::string& text) {
  static const SchemaPtr schema = std::make_shared<const Schema>(
      std::vector<Field>{{"a", kInt64Type}, {"b", kStringType, false}, {"c", kStringType}});
  const auto decoder =
      DecoderOf(schema, UnknownJsonFields::kFail,
                {{"$.i", absl::nullopt}, {"$.s.t", std::string("?")}, {"$.s.t", absl::nullopt}});
  CheckCarefulWay(decoder.get(), schema, text, fuzz::DecodeInPieces(decoder.get(), schema, text));
}

}  // namespace
}  // namespace weir::types

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  weir::types::DecodeFlat(text);
  weir::types::DecodeNested(text);
  return 0;
}
