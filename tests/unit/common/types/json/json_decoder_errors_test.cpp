// What must hold: a line that is not a good row is an error of that line alone, with a message that
// names the field, what was found and what was expected.
#include <catch2/catch.hpp>

#include "common/types/json/json_decoder.h"
#include "tests/unit/common/types/decoded_rows.h"

namespace weir::types {
namespace {

SchemaPtr MakeSchema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(std::move(fields));
}

std::string ErrorOf(const DataType& type, const std::string& line) {
  const SchemaPtr schema = MakeSchema({{"v", type}});
  JsonDecodeOptions options;
  options.sources.resize(1);
  const auto decoder = *MakeJsonDecoder(schema, options);
  const std::string good = type == kStringType ? "{\"v\":\"s\"}\n" : "{\"v\":null}\n";
  const DecodedRows rows = DecodeRows(decoder.get(), schema, good + line + "\n" + good);
  CHECK(rows.rows.size() == 2);
  CHECK(rows.error_count == 1);
  if (rows.errors.empty()) return "";
  const std::string place = std::to_string(good.size()) + ": ";
  CHECK(rows.errors[0].compare(0, place.size(), place) == 0);
  return rows.errors[0].substr(place.size());
}

}  // namespace

TEST_CASE("JsonDecoder names field, found and expected of a wrong type", "[types][unit]") {
  CHECK(ErrorOf(kInt64Type, R"({"v":"12"})") ==
        "field 'v': found string \"12\", expected an int64");
  CHECK(ErrorOf(kInt64Type, R"({"v":1.0})") == "field 'v': found 1.0, expected an int64");
  CHECK(ErrorOf(kInt64Type, R"({"v":9223372036854775808})") ==
        "field 'v': found 9223372036854775808, expected an int64");
  CHECK(ErrorOf(kInt32Type, R"({"v":2147483648})") ==
        "field 'v': found 2147483648, expected an int32");
  CHECK(ErrorOf(kInt64Type, R"({"v":{"a":1}})") == "field 'v': found an object, expected an int64");
  CHECK(ErrorOf(kStringType, R"({"v":[1]})") == "field 'v': found an array, expected a string");
  CHECK(ErrorOf(kStringType, R"({"v":5})") == "field 'v': found 5, expected a string");
  CHECK(ErrorOf(kBoolType, R"({"v":1})") == "field 'v': found 1, expected a bool");
  CHECK(ErrorOf(kDoubleType, R"({"v":true})") == "field 'v': found true, expected a double");
  CHECK(ErrorOf(kDoubleType, R"({"v":"nan"})") ==
        "field 'v': found string \"nan\", expected a double");
  CHECK(ErrorOf(kTimestampType, R"({"v":1700000000})") ==
        "field 'v': found 1700000000, expected an ISO 8601 timestamp (YYYY-MM-DDTHH:MM:SSZ)");
  CHECK(ErrorOf(kTimestampType, R"({"v":"2001/01/01 00:47"})") ==
        "field 'v': found string \"2001/01/01 00:47\", expected an ISO 8601 timestamp "
        "(YYYY-MM-DDTHH:MM:SSZ)");
  CHECK(ErrorOf(kDateType, R"({"v":"2001-13-01"})") ==
        "field 'v': found string \"2001-13-01\", expected a date (YYYY-MM-DD)");
  CHECK(ErrorOf(DecimalType(4, 2), R"({"v":123.4})") ==
        "field 'v': found 123.4, expected a decimal(4,2)");
  CHECK(ErrorOf(DecimalType(4, 2), R"({"v":01})") ==
        "field 'v': found 01, expected a decimal(4,2)");
}

TEST_CASE("JsonDecoder reports lines that are not one object", "[types][unit]") {
  CHECK(ErrorOf(kInt64Type, "[1]") == "found an array, expected an object");
  CHECK(ErrorOf(kInt64Type, "12") == "found 12, expected an object");
  CHECK(ErrorOf(kInt64Type, R"({"v":1} {"v":2})") == "text behind the end of the object");
  CHECK(ErrorOf(kInt64Type, R"({"v":1}])") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v":1)") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v":1,)") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v" 1})") != "");
  CHECK(ErrorOf(kInt64Type, R"("v":1})") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v":1}x)") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v":nul})") != "");
  CHECK(ErrorOf(kInt64Type, R"({"v":1,"v":2})") == "field 'v' occurs twice");
}

TEST_CASE("JsonDecoder reports broken strings", "[types][unit]") {
  CHECK(ErrorOf(kStringType, R"({"v":"abc})") != "");
  CHECK(ErrorOf(kStringType, "{\"v\":\"\xFF\"}") != "");
  CHECK(ErrorOf(kStringType, "{\"v\":\"a\tb\"}") != "");
  CHECK(ErrorOf(kStringType, R"({"v":"\x"})") != "");
  CHECK(ErrorOf(kStringType, R"({"v":"a"b})") != "");
  CHECK(ErrorOf(kStringType, R"({"v":"\ud800"})") ==
        "field 'v': found string \"\\ud800\", expected a string");
}

TEST_CASE("JsonDecoder keeps rows apart when brackets do not match", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"v", kInt64Type}});
  JsonDecodeOptions options;
  options.sources.resize(1);
  const auto decoder = *MakeJsonDecoder(schema, options);
  const StringView text =
      "{\"v\":1}\n{\"x\":[{}\n{\"y\":[]}]}\n{\"v\":2}\n{\"v\":3,\n\"x\":1}\n{\"v\":4}\n{\"v\":\n5}"
      "\n";
  const DecodedRows rows = DecodeRows(decoder.get(), schema, text);
  CHECK(rows.rows == std::vector<std::string>{R"({"v":1})", R"({"v":2})", R"({"v":4})"});
  CHECK(rows.error_count == 6);
}

}  // namespace weir::types
