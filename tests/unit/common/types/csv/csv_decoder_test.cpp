#include "common/types/csv/csv_decoder.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/types/decoded_rows.h"

namespace weir::types {
namespace {

SchemaPtr PairSchema() {
  return std::make_shared<const Schema>(
      std::vector<Field>{{.name = "id", .type = kInt64Type, .nullable = false},
                         {.name = "name", .type = kStringType}});
}

CsvDecodeOptions PairOptions() {
  CsvDecodeOptions options;
  options.sources.resize(2);
  return options;
}

DecodedRows Decode(StringView text, const CsvDecodeOptions& options, size_t piece = SIZE_MAX) {
  const SchemaPtr schema = PairSchema();
  const auto decoder = MakeCsvDecoder(schema, options);
  REQUIRE(decoder.ok());
  return DecodeRows(decoder->get(), schema, text, piece);
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("CsvDecoder reads records with quotes, line feeds and CR LF", "[types][unit]") {
  const DecodedRows rows = Decode("1,Ann\r\n\"2\",\"B \"\"o\"\"\nb\"\r\n3,\n4,\"\"", PairOptions());
  CHECK(rows.error_count == 0);
  CHECK(rows.rows == Rows{R"({"id":1,"name":"Ann"})", R"({"id":2,"name":"B \"o\"\nb"})",
                          R"({"id":3,"name":null})", R"({"id":4,"name":""})"});
  CHECK(rows.row_starts == std::vector<size_t>{0, 7, 24, 27});
}

TEST_CASE("CsvDecoder gives the same rows whatever pieces it is shown", "[types][unit]") {
  const StringView text = "1,\"a\nb\"\n2,\"c,\"\"\"\n\n3,d\n4,";
  const DecodedRows whole = Decode(text, PairOptions());
  REQUIRE(whole.rows.size() == 4);
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    CAPTURE(piece);
    CHECK(Decode(text, PairOptions(), piece).rows == whole.rows);
  }
}

TEST_CASE("CsvDecoder finds columns by the header", "[types][unit]") {
  CsvDecodeOptions options = PairOptions();
  options.header = std::vector<std::string>{"full name", "extra", "id"};
  options.sources[1].from = "full name";
  const DecodedRows rows = Decode("Ann,x,1\nBob,y,2\n", options);
  CHECK(rows.rows == Rows{R"({"id":1,"name":"Ann"})", R"({"id":2,"name":"Bob"})"});
}

TEST_CASE("CsvDecoder refuses a header without a wanted column", "[types][unit]") {
  CsvDecodeOptions options = PairOptions();
  options.header = std::vector<std::string>{"id", "Name"};
  const absl::Status status = MakeCsvDecoder(PairSchema(), options).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.message() ==
        "the csv header has no column 'name'; it has: id, Name. Correct the name, or give a "
        "default");
  options.sources[1].default_text = "nobody";
  CHECK(Decode("5,x\n", options).rows == Rows{R"({"id":5,"name":"nobody"})"});
  options.header = std::vector<std::string>{"id", "name", "id"};
  CHECK(
      MakeCsvDecoder(PairSchema(), options).status().message() ==
      "the csv header has 'id' twice, so it is not clear which is meant. Rename one of the two in "
      "the file");
}

TEST_CASE("CsvDecoder takes defaults for missing values and knows the null text", "[types][unit]") {
  CsvDecodeOptions options = PairOptions();
  options.delimiter = ';';
  options.null_text = "NULL";
  options.sources[0].default_text = "-1";
  const DecodedRows rows = Decode("NULL;NULL\n7;\"NULL\"\n8;\n", options);
  CHECK(rows.rows ==
        Rows{R"({"id":-1,"name":null})", R"({"id":7,"name":"NULL"})", R"({"id":8,"name":""})"});
}

TEST_CASE("CsvDecoder reports bad records with place and cause", "[types][unit]") {
  const DecodedRows one = Decode("1,a\nx,b\n2,c\n", PairOptions());
  CHECK(one.rows.size() == 2);
  CHECK(one.errors == Rows{"4: column 'id': found \"x\", expected an int64"});
  CHECK(Decode("1\n", PairOptions()).errors == Rows{"0: the record has 1 fields instead of 2"});
  CHECK(Decode("1,2,3\n", PairOptions()).errors == Rows{"0: the record has 3 fields instead of 2"});
  CHECK(Decode(",a\n", PairOptions()).errors ==
        Rows{"0: column 'id' is not null, but its value is missing"});
  CHECK(Decode("1,a\"b\",2\n", PairOptions()).errors ==
        Rows{"0: field 2 has a quote but does not begin with one"});
  CHECK(Decode("1,\"abc\n2,d\n", PairOptions()).errors ==
        Rows{"0: field 2 has an opening quote without a closing one"});
  CHECK(Decode("1,\xC3\n", PairOptions()).errors ==
        Rows{"0: byte 2 of the record is not UTF-8 text"});
}

TEST_CASE("CsvDecoder reads an empty line as NULL if there is one column", "[types][unit]") {
  const auto schema = std::make_shared<const Schema>(std::vector<Field>{{"a", kStringType}});
  CsvDecodeOptions options;
  options.sources.resize(1);
  const auto decoder = *MakeCsvDecoder(schema, options);
  CHECK(DecodeRows(decoder.get(), schema, "x\n\n\"\"\n").rows ==
        Rows{R"({"a":"x"})", R"({"a":null})", R"({"a":""})"});
}

TEST_CASE("CsvDecoder refuses a default of another type", "[types][unit]") {
  CsvDecodeOptions options = PairOptions();
  options.sources[0].default_text = "none";
  CHECK(MakeCsvDecoder(PairSchema(), options).status().message() ==
        "default of column 'id': \"none\" is not an int64");
}

}  // namespace weir::types
