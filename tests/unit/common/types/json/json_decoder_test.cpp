#include "common/types/json/json_decoder.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/types/decoded_rows.h"

namespace weir::types {
namespace {

using Rows = std::vector<std::string>;

SchemaPtr MakeSchema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(std::move(fields));
}

SchemaPtr FlightSchema() {
  return MakeSchema({{"date", kStringType},
                     {.name = "delay", .type = kInt32Type, .nullable = false},
                     {"origin", kStringType}});
}

DecodedRows Decode(const SchemaPtr& schema, StringView text, JsonDecodeOptions options = {},
                   size_t piece = SIZE_MAX) {
  options.sources.resize(schema->size());
  const auto decoder = MakeJsonDecoder(schema, options);
  INFO(decoder.status().ToString());
  REQUIRE(decoder.ok());
  return DecodeRows(decoder->get(), schema, text, piece);
}

Rows ErrorsOf(const SchemaPtr& schema, StringView text) {
  return Decode(schema, text).errors;
}

}  // namespace

TEST_CASE("JsonDecoder reads fields in any order and drops others", "[types][unit]") {
  const DecodedRows rows = Decode(FlightSchema(),
                                  "{\"date\":\"2001/01/01\",\"delay\":66,\"origin\":\"DTW\"}\n"
                                  "{\"origin\":\"HNL\",\"x\":[1,{\"delay\":7}],\"delay\":-5}\n"
                                  "\n  \r\n"
                                  "  { \"delay\" : 0 , \"origin\" : null }  \r\n"
                                  "{\"delay\":1}");
  CHECK(rows.error_count == 0);
  CHECK(rows.rows == Rows{R"({"date":"2001/01/01","delay":66,"origin":"DTW"})",
                          R"({"date":null,"delay":-5,"origin":"HNL"})",
                          R"({"date":null,"delay":0,"origin":null})",
                          R"({"date":null,"delay":1,"origin":null})"});
}

TEST_CASE("JsonDecoder reads every type exactly", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"b", kBoolType},
                                       {"i", kInt32Type},
                                       {"l", kInt64Type},
                                       {"d", kDoubleType},
                                       {"s", kStringType},
                                       {"t", kTimestampType},
                                       {"day", kDateType},
                                       {"m", DecimalType(38, 2)}});
  const DecodedRows rows = Decode(
      schema,
      R"({"b":true,"i":-2147483648,"l":9223372036854775807,"d":1.5e-3,"s":"a\u00e9\n\ud83d\ude00",)"
      R"("t":"2001-01-01T01:00:00+01:00","day":"2001-01-01",)"
      R"("m":999999999999999999999999999999999999.99})"
      "\n"
      R"({"d":"-Infinity","m":"12.5","l":-0,"s":""})"
      "\n"
      R"({"d":1e22,"m":1e3})");
  CHECK(rows.errors == Rows{});
  CHECK(rows.rows ==
        Rows{R"({"b":true,"i":-2147483648,"l":9223372036854775807,"d":0.0015,)"
             "\"s\":\"a\xC3\xA9\\n\xF0\x9F\x98\x80\","
             R"("t":"2001-01-01T00:00:00Z","day":"2001-01-01",)"
             R"("m":999999999999999999999999999999999999.99})",
             R"({"b":null,"i":null,"l":0,"d":"-Infinity","s":"","t":null,"day":null,"m":12.50})",
             R"({"b":null,"i":null,"l":null,"d":1e+22,"s":null,"t":null,"day":null,"m":1000.00})"});
}

TEST_CASE("JsonDecoder reads integers of every length", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"v", kInt64Type}});
  std::string text;
  Rows expected;
  std::string digits;
  for (const char digit : std::string("9876543210987654321")) {
    digits.push_back(digit);
    for (const std::string& number : {digits, "-" + digits}) {
      if (digits.size() == 19) continue;
      for (const char* between : {":", ": ", " :"}) {
        text += "{\"v\"" + std::string(between) + number + "}\n{\"v\":" + number + " }\n";
        expected.insert(expected.end(), 2, "{\"v\":" + number + "}");
      }
    }
  }
  text += "{\"v\":1234567890123456789}\n{\"v\":-9223372036854775808}\n{\"v\":0}\n";
  expected.push_back("{\"v\":1234567890123456789}");
  expected.push_back("{\"v\":-9223372036854775808}");
  expected.push_back("{\"v\":0}");
  const DecodedRows rows = Decode(schema, text);
  CHECK(rows.errors == Rows{});
  CHECK((rows.rows == expected));
  for (const char* bad : {"00", "01", "-", "1-", "12a4", "1234567a", "12345678a", "+1", "1.5",
                          "9223372036854775808", "99999999999999999999", "12 4", "/1", ":1"}) {
    CAPTURE(bad);
    CHECK(Decode(schema, "{\"v\":" + std::string(bad) + "}\n").error_count == 1);
  }
}

TEST_CASE("JsonDecoder follows paths into objects", "[types][unit]") {
  const SchemaPtr schema = MakeSchema(
      {{"id", kInt64Type}, {"city", kStringType}, {"lat", kDoubleType}, {"town", kStringType}});
  JsonDecodeOptions options;
  options.sources = {{}, {"$.address.city", {}}, {"$.address.geo.lat", {}}, {"$.address.city", {}}};
  options.sources[2].default_text = "0.5";
  const DecodedRows rows =
      Decode(schema,
             "{\"id\":1,\"address\":{\"geo\":{\"lat\":1.25},\"city\":\"Bend\"}}\n"
             "{\"address\":null,\"id\":2}\n"
             "{\"address\":{\"geo\":{}},\"id\":3}\n"
             "{\"address\":{\"city\":null,\"geo\":{\"lat\":null}}}\n"
             "{\"address\":5}\n",
             options);
  CHECK(rows.rows == Rows{R"({"id":1,"city":"Bend","lat":1.25,"town":"Bend"})",
                          R"({"id":2,"city":null,"lat":0.5,"town":null})",
                          R"({"id":3,"city":null,"lat":0.5,"town":null})",
                          R"({"id":null,"city":null,"lat":null,"town":null})"});
  CHECK(rows.errors == Rows{"153: field 'address': found 5, expected an object"});
}

TEST_CASE("JsonDecoder compares field names with escapes by what they mean", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"a\"b", kInt64Type}, {"c", kInt64Type}});
  CHECK(Decode(schema, "{\"a\\\"b\":1,\"\\u0063\":2}\n{\"c\":3,\"a\\u0022b\":4}\n").rows ==
        Rows{R"({"a\"b":1,"c":2})", R"({"a\"b":4,"c":3})"});
}

TEST_CASE("JsonDecoder enforces not null and fills in defaults", "[types][unit]") {
  CHECK(ErrorsOf(FlightSchema(), "{\"delay\":null}") ==
        Rows{"0: column 'delay' is not null, but its value is null"});
  CHECK(ErrorsOf(FlightSchema(), "{\"origin\":\"x\"}") ==
        Rows{"0: column 'delay' is not null, but its value is missing"});
  JsonDecodeOptions options;
  options.sources.resize(3);
  options.sources[1].default_text = "7";
  const DecodedRows rows = Decode(FlightSchema(), "{}\n{\"delay\":null}\n", options);
  CHECK(rows.rows == Rows{R"({"date":null,"delay":7,"origin":null})"});
  CHECK(rows.error_count == 1);
}

TEST_CASE("JsonDecoder can refuse unknown fields", "[types][unit]") {
  JsonDecodeOptions options;
  options.unknown_fields = UnknownJsonFields::kFail;
  const DecodedRows rows =
      Decode(FlightSchema(), "{\"delay\":1}\n{\"delay\":2,\"dely\":3}\n{\"delay\":3,\"dely\":3}\n",
             options);
  CHECK(rows.rows.size() == 1);
  CHECK(rows.error_count == 2);
  CHECK(rows.errors == Rows{"12: unknown field 'dely'"});
}

TEST_CASE("JsonDecoder gives the same rows whatever pieces it is shown", "[types][unit]") {
  const std::string text =
      "{\"delay\":1,\"origin\":\"A\\\"\"}\n{\"delay\":2,\n\"origin\":\"B\"}\n\n"
      "{\"delay\":3} {\"delay\":4}\n{\"delay\":5}\n{\"delay\":\"x\"}\n{\"delay\":6";
  const DecodedRows whole = Decode(FlightSchema(), text);
  CHECK(whole.rows.size() == 2);
  CHECK(whole.error_count == 5);
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    CAPTURE(piece);
    const DecodedRows rows = Decode(FlightSchema(), text, {}, piece);
    CHECK(rows.rows == whole.rows);
    CHECK(rows.row_starts == whole.row_starts);
    CHECK(rows.error_count == whole.error_count);
  }
}

TEST_CASE("JsonDecoder refuses paths that contradict each other", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"a", kInt64Type}, {"b", kStringType}});
  const auto error_of = [&](const std::string& a, const std::string& b) {
    JsonDecodeOptions options;
    options.sources = {{a, {}}, {b, {}}};
    return std::string(MakeJsonDecoder(schema, options).status().message());
  };
  CHECK(error_of("$.x", "$.x.y") ==
        "column 'b': 'x' cannot be both a value and an object with columns in it");
  CHECK(error_of("$.x.y", "$.x") ==
        "column 'b': 'x' cannot be both a value and an object with columns in it");
  CHECK(error_of("$.x", "$.x") == "columns 'a' and 'b' read 'x' as two types");
  CHECK(error_of("$", "b") == "JSON path '$': write $.field or $.object.field");
  CHECK(error_of("$.x..y", "b") == "JSON path '$.x..y' has an empty name");
  CHECK(error_of("$.x[0]", "b") == "JSON path '$.x[0]': array subscripts are not supported");
}

}  // namespace weir::types
