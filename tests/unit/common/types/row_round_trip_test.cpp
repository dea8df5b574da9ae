// What must hold: what csv and JSON write they read back as the same rows, whatever the values, and
// no bytes make a decoder crash or lose its place.
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "common/types/csv/csv_decoder.h"
#include "common/types/csv/csv_encoder.h"
#include "common/types/datetime.h"
#include "common/types/json/json_decoder.h"
#include "common/types/json/json_encoder.h"
#include "common/types/text/text_decoder.h"
#include "tests/unit/common/types/decoded_rows.h"

namespace weir::types {
namespace {

constexpr int kRoundTripRuns = 60;
constexpr int kRandomBytesRuns = 3000;

const SchemaPtr& AllTypes() {
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

std::string RandomText(base::Random* random) {
  static const char* const kPieces[] = {"a",  "Z",    "\"", "\"\"", ",",      ";",    "\n",
                                        "\r", "\r\n", "\\", "\t",   "\x01",   "é",    "€",
                                        "😀",  " ",    "/",  "NULL", "\u2028", "\x7f", "{}"};
  std::string text;
  for (uint64_t left = random->Below(12); left > 0; --left) {
    text += kPieces[random->Below(std::size(kPieces))];
  }
  return text;
}

double RandomDouble(base::Random* random) {
  switch (random->Below(6)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return -std::numeric_limits<double>::infinity();
    case 2:
      return static_cast<double>(random->Between(-1000, 1000)) / 8;
    default: {
      const uint64_t bits = random->Next();
      double value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      return std::isnan(value) ? 1.0 : value;
    }
  }
}

void AppendRandomRow(base::Random* random, BatchBuilder* rows) {
  for (size_t i = 0; i < AllTypes()->size(); ++i) {
    ColumnBuilder& column = rows->column(i);
    if (random->OneIn(6)) {
      column.AppendNull();
      continue;
    }
    switch (column.type().kind) {
      case TypeKind::kBool:
        column.Append(static_cast<uint8_t>(random->Below(2)));
        break;
      case TypeKind::kInt32:
        column.Append(static_cast<int32_t>(random->Next()));
        break;
      case TypeKind::kInt64:
        column.Append(static_cast<int64_t>(random->Next()));
        break;
      case TypeKind::kDouble:
        column.Append(RandomDouble(random));
        break;
      case TypeKind::kTimestamp:
        column.Append(random->Between(kTimestampMin, kTimestampMax));
        break;
      case TypeKind::kDate:
        column.Append(static_cast<int32_t>(random->Between(kDateMin, kDateMax)));
        break;
      case TypeKind::kDecimal:
        column.Append(Int128{random->Between(INT64_MIN, INT64_MAX)} * random->Between(-9, 9));
        break;
      default:
        column.AppendString(RandomText(random));
    }
  }
  rows->EndRow();
}

BatchPtr RandomBatch(base::Random* random) {
  BatchBuilder builder(AllTypes());
  for (uint64_t rows = 1 + random->Below(50); rows > 0; --rows) AppendRandomRow(random, &builder);
  return builder.Finish();
}

std::unique_ptr<RowDecoder> CsvDecoderOf(const SchemaPtr& schema, const CsvEncodeOptions& written) {
  CsvDecodeOptions options;
  options.delimiter = written.delimiter;
  options.null_text = written.null_text;
  options.sources.resize(schema->size());
  return *MakeCsvDecoder(schema, options);
}

std::unique_ptr<RowDecoder> JsonDecoderOf(const SchemaPtr& schema) {
  JsonDecodeOptions options;
  options.sources.resize(schema->size());
  return *MakeJsonDecoder(schema, options);
}

void CheckReadsBack(RowDecoder* decoder, const RowEncoder& encoder, const BatchPtr& batch,
                    base::Random* random) {
  std::string text;
  encoder.Append(*batch, &text);
  std::vector<std::string> expected;
  AppendJsonLines(batch, &expected);
  const DecodedRows rows = DecodeRows(decoder, AllTypes(), text, 1 + random->Below(400),
                                      1 + random->Below(kBatchRowsMax));
  CHECK(rows.errors == std::vector<std::string>{});
  CHECK(rows.rows == expected);
}

// Bytes that look like the format, so that more than the first check is reached.
std::string RandomBytes(base::Random* random, StringView alphabet) {
  std::string bytes;
  for (uint64_t left = random->Below(200); left > 0; --left) {
    if (random->OneIn(20)) {
      bytes.push_back(static_cast<char>(random->Below(256)));
    } else {
      bytes.push_back(alphabet[random->Below(alphabet.size())]);
    }
  }
  return bytes;
}

// Every line is a row or an error, and pieces make no difference.
void CheckSurvives(RowDecoder* decoder, const SchemaPtr& schema, const std::string& bytes,
                   base::Random* random) {
  const DecodedRows whole = DecodeRows(decoder, schema, bytes);
  const DecodedRows pieces =
      DecodeRows(decoder, schema, bytes, 1 + random->Below(64), 1 + random->Below(5));
  CAPTURE(bytes);
  CHECK(pieces.rows == whole.rows);
  CHECK(pieces.row_starts == whole.row_starts);
  CHECK(pieces.error_count == whole.error_count);
}

// A line that is not UTF-8 makes the decoder read all lines of the call one by one, the careful
// way: it must find the same as the fast way.
void CheckBothWaysAgree(RowDecoder* decoder, const SchemaPtr& schema, const std::string& bytes) {
  const DecodedRows fast = DecodeRows(decoder, schema, bytes);
  const DecodedRows careful = DecodeRows(decoder, schema, "\xFF\n" + bytes);
  CAPTURE(bytes);
  CHECK(careful.rows == fast.rows);
  CHECK(careful.error_count == fast.error_count + 1);
}

}  // namespace

TEST_CASE("CSV reads back what it wrote", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (int run = 0; run < kRoundTripRuns; ++run) {
    const CsvEncodeOptions options{.delimiter = random.OneIn(2) ? ',' : ';',
                                   .null_text = random.OneIn(2) ? "" : "NULL"};
    CheckReadsBack(CsvDecoderOf(AllTypes(), options).get(),
                   *MakeCsvEncoder(AllTypes(), options, WithOp::kNo), RandomBatch(&random),
                   &random);
  }
}

TEST_CASE("JSON reads back what it wrote", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (int run = 0; run < kRoundTripRuns; ++run) {
    CheckReadsBack(JsonDecoderOf(AllTypes()).get(), *MakeJsonEncoder(AllTypes(), WithOp::kNo),
                   RandomBatch(&random), &random);
  }
}

TEST_CASE("Decoders survive any bytes", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  const SchemaPtr line = std::make_shared<const Schema>(std::vector<Field>{{"line", kStringType}});
  const SchemaPtr pair =
      std::make_shared<const Schema>(std::vector<Field>{{"a", kInt64Type}, {"b", kStringType}});
  const auto text = *MakeTextDecoder(line);
  const auto csv = CsvDecoderOf(pair, {});
  const auto json = JsonDecoderOf(pair);
  for (int run = 0; run < kRandomBytesRuns; ++run) {
    CAPTURE(run);
    CheckSurvives(text.get(), line, RandomBytes(&random, "ab\n\r"), &random);
    CheckSurvives(csv.get(), pair, RandomBytes(&random, "1,\"\n\r,\n"), &random);
    const std::string bytes = RandomBytes(&random, "{}[]\"\":,ab1\\ \n\n{}");
    CheckSurvives(json.get(), pair, bytes, &random);
    CheckBothWaysAgree(json.get(), pair, bytes);
  }
}

TEST_CASE("JSON survives good lines with one byte changed", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  const SchemaPtr pair =
      std::make_shared<const Schema>(std::vector<Field>{{"a", kInt64Type}, {"b", kStringType}});
  const auto json = JsonDecoderOf(pair);
  for (int run = 0; run < kRandomBytesRuns; ++run) {
    CAPTURE(run);
    std::string bytes;
    for (int i = 0; i < 3; ++i) {
      bytes += "{\"a\":12,\"x\":[{\"y\":{}}],\"b\":\"q\\n\"}\n{\"b\":\"\",\"a\":-1234567890}\n";
    }
    for (int changes = 0; changes < 2; ++changes) {
      bytes[random.Below(bytes.size())] = "{}[]\",:\\ \n\x80x1"[random.Below(13)];
    }
    CheckSurvives(json.get(), pair, bytes, &random);
    CheckBothWaysAgree(json.get(), pair, bytes);
  }
}

}  // namespace weir::types
