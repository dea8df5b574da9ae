#include "common/types/json/json_encoder.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "common/types/record_batch.h"

namespace weir::types {
namespace {

SchemaPtr MakeSchema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(std::move(fields));
}

}  // namespace

TEST_CASE("JsonEncoder escapes what JSON does not allow in strings", "[types][unit]") {
  std::string out;
  AppendJsonString(StringView("\"\\/\b\f\n\r\t\x01\x1f\x7f \xC3\xA9\0", 15), &out);
  CHECK(out == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f \xC3\xA9\\u0000\"");
}

TEST_CASE("JsonEncoder writes values of every type", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"b", kBoolType},
                                       {"i", kInt32Type},
                                       {"l", kInt64Type},
                                       {"d", kDoubleType},
                                       {"s", kStringType},
                                       {"t", kTimestampType},
                                       {"day", kDateType},
                                       {"m", DecimalType(38, 2)}});
  BatchBuilder builder(schema);
  builder.column(0).Append<uint8_t>(0);
  builder.column(1).Append<int32_t>(1);
  builder.column(2).Append<int64_t>(INT64_MIN);
  builder.column(3).Append<double>(0.1);
  builder.column(4).AppendString("x\"y");
  builder.column(5).Append<int64_t>(978307200'000000);
  builder.column(6).Append<int32_t>(11323);
  builder.column(7).Append<Int128>(PowerOfTen(38) - 1);
  builder.EndRow();
  for (size_t i = 0; i < schema->size(); ++i) builder.column(i).AppendNull();
  builder.EndRow();
  std::string out;
  MakeJsonEncoder(schema, WithOp::kNo)->Append(*builder.Finish(), &out);
  CHECK(out ==
        "{\"b\":false,\"i\":1,\"l\":-9223372036854775808,\"d\":0.1,\"s\":\"x\\\"y\","
        "\"t\":\"2001-01-01T00:00:00Z\",\"day\":\"2001-01-01\","
        "\"m\":999999999999999999999999999999999999.99}\n"
        "{\"b\":null,\"i\":null,\"l\":null,\"d\":null,\"s\":null,\"t\":null,\"day\":null,"
        "\"m\":null}\n");
}

TEST_CASE("JsonEncoder writes what is no number as a string", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"d", kDoubleType}});
  BatchBuilder builder(schema);
  for (const double value : {static_cast<double>(NAN), static_cast<double>(INFINITY), -0.0}) {
    builder.column(0).Append(value);
    builder.EndRow();
  }
  std::string out;
  MakeJsonEncoder(schema, WithOp::kNo)->Append(*builder.Finish(), &out);
  CHECK(out == "{\"d\":\"NaN\"}\n{\"d\":\"Infinity\"}\n{\"d\":-0}\n");
}

TEST_CASE("JsonEncoder writes selected rows of a log with their change kind", "[types][unit]") {
  const SchemaPtr input = MakeSchema({{"k \"1\"", kInt64Type}});
  const SchemaPtr written = MakeSchema({{"k \"1\"", kInt64Type}, {"_op", kStringType}});
  BatchBuilder builder(input);
  for (const ChangeKind kind : {ChangeKind::kInsert, ChangeKind::kUpdateBefore,
                                ChangeKind::kUpdateAfter, ChangeKind::kDelete}) {
    builder.column(0).Append<int64_t>(7);
    builder.EndRow(kind);
  }
  std::string out;
  MakeJsonEncoder(written, WithOp::kYes)
      ->Append(*RecordBatch::Select(*builder.Finish(), {1, 2}), &out);
  CHECK(out ==
        "{\"k \\\"1\\\"\":7,\"_op\":\"update_before\"}\n"
        "{\"k \\\"1\\\"\":7,\"_op\":\"update_after\"}\n");
}

}  // namespace weir::types
