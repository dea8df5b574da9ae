#include "common/types/text/text_decoder.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/types/decoded_rows.h"

namespace weir::types {
namespace {

SchemaPtr LineSchema() {
  return std::make_shared<const Schema>(
      std::vector<Field>{{.name = "line", .type = kStringType, .nullable = false}});
}

DecodedRows Decode(StringView text, size_t piece = SIZE_MAX) {
  const SchemaPtr schema = LineSchema();
  return DecodeRows(MakeTextDecoder(schema)->get(), schema, text, piece);
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("TextDecoder makes a row of each line, empty ones too", "[types][unit]") {
  CHECK(Decode("one\n\ntwo\r\n").rows ==
        Rows{R"({"line":"one"})", R"({"line":""})", R"({"line":"two"})"});
  CHECK(Decode("").rows.empty());
}

TEST_CASE("TextDecoder takes a last line without a line end", "[types][unit]") {
  CHECK(Decode("a\nb").rows == Rows{R"({"line":"a"})", R"({"line":"b"})"});
}

TEST_CASE("TextDecoder waits for the rest of a line", "[types][unit]") {
  for (size_t piece = 1; piece < 12; ++piece) {
    CAPTURE(piece);
    const DecodedRows rows = Decode("alpha\nbeta\n\ngamma", piece);
    CHECK(rows.rows == Rows{R"({"line":"alpha"})", R"({"line":"beta"})", R"({"line":""})",
                            R"({"line":"gamma"})"});
    CHECK(rows.row_starts == std::vector<size_t>{0, 6, 11, 12});
  }
}

TEST_CASE("TextDecoder reports a line that is not UTF-8 and goes on", "[types][unit]") {
  const DecodedRows rows = Decode("ok\nbad\xFF\nfine\n");
  CHECK(rows.rows == Rows{R"({"line":"ok"})", R"({"line":"fine"})"});
  CHECK(rows.errors == Rows{"3: byte 3 of the line is not UTF-8 text"});
}

TEST_CASE("TextDecoder leaves rows that start at the limit", "[types][unit]") {
  const SchemaPtr schema = LineSchema();
  const auto decoder = *MakeTextDecoder(schema);
  std::string bytes = "one\ntwo\nthree\n" + std::string(kDecodePadding, '\0');
  BatchBuilder builder(schema);
  DecodeOutput output;
  DecodeInput input;
  input.bytes = StringView(bytes.data(), bytes.size() - kDecodePadding);
  input.start_limit = 5;
  decoder->Decode(input, &builder, &output);
  CHECK(output.consumed == 8);
  CHECK(builder.size() == 2);
}

TEST_CASE("TextDecoder wants one string column", "[types][unit]") {
  const auto schema = std::make_shared<const Schema>(std::vector<Field>{{"a", kInt64Type}});
  CHECK(MakeTextDecoder(schema).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace weir::types
