// Any bytes whatever as csv: each record is a row or an error, and rows are written and read again
// the same.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/types/csv/csv_decoder.h"
#include "common/types/csv/csv_encoder.h"
#include "common/types/csv/csv_record.h"
#include "tests/fuzz/row_checks.h"

namespace weir::types {
namespace {

const SchemaPtr& Columns() {
  static const SchemaPtr schema =
      std::make_shared<const Schema>(std::vector<Field>{{"b", kBoolType},
                                                        {"l", kInt64Type},
                                                        {"s", kStringType},
                                                        {"d", kDoubleType},
                                                        {"t", kTimestampType},
                                                        {"m", DecimalType(20, 3)}});
  return schema;
}

std::unique_ptr<RowDecoder> DecoderOf(const SchemaPtr& schema, CsvDecodeOptions options) {
  options.sources.resize(schema->size());
  auto decoder = MakeCsvDecoder(schema, std::move(options));
  WEIR_CHECK(decoder.ok());
  return *std::move(decoder);
}

// Without a header the columns are the fields in order.
void DecodeColumns(const SchemaPtr& schema, const CsvEncodeOptions& options,
                   const std::string& text) {
  const auto decoder = DecoderOf(schema, {.delimiter = options.delimiter,
                                          .null_text = options.null_text,
                                          .sources = {},
                                          .header = absl::nullopt});
  const DecodedRows rows = fuzz::DecodeInPieces(decoder.get(), schema, text);
  fuzz::CheckReadsBack(decoder.get(), *MakeCsvEncoder(schema, options, WithOp::kNo), schema, text,
                       rows);
}

// The first record as a header, whatever it says.
void DecodeWithHeader(const std::string& text) {
  const size_t end = FindCsvRecordEnd(text, 0, ',');
  if (end == StringView::npos) return;
  auto header = ParseCsvHeader(StringView(text).substr(0, end), ',');
  if (!header.ok()) return;
  static const SchemaPtr schema = std::make_shared<const Schema>(
      std::vector<Field>{{"s", kStringType, false}, {"l", kInt64Type}});
  CsvDecodeOptions options;
  options.header = *std::move(header);
  options.sources = {{"", std::string("none")}, {"n", absl::nullopt}};
  const auto decoder = MakeCsvDecoder(schema, std::move(options));
  if (decoder.ok()) fuzz::DecodeInPieces(decoder->get(), schema, text.substr(end + 1));
}

// A scan that sees the record in two pieces ends it where one look at all of it does.
void CheckScan(const std::string& text) {
  const size_t end = FindCsvRecordEnd(text, 0, ';');
  const StringView bytes = text;
  for (const size_t cut : {size_t{1}, text.size() / 2}) {
    CsvRecordScan scan(';');
    const StringView head = bytes.substr(0, cut);
    size_t found = scan.Take(head);
    if (found == StringView::npos) {
      found = scan.Take(bytes.substr(head.size()));
      if (found != StringView::npos) found += head.size();
    }
    WEIR_CHECK(found == (end == StringView::npos ? end : end + 1));
  }
}

}  // namespace
}  // namespace weir::types

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace types = weir::types;
  static const types::SchemaPtr line = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"line", types::kStringType}});
  const std::string text(reinterpret_cast<const char*>(data), size);
  types::DecodeColumns(types::Columns(), {.delimiter = ',', .null_text = ""}, text);
  types::DecodeColumns(types::Columns(), {.delimiter = ';', .null_text = "NULL"}, text);
  types::DecodeColumns(line, {.delimiter = ',', .null_text = "NULL"}, text);
  types::DecodeWithHeader(text);
  types::CheckScan(text);
  return 0;
}
