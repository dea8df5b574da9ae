#include "common/types/csv/csv_encoder.h"

#include <catch2/catch.hpp>

#include "common/types/datetime.h"
#include "common/types/record_batch.h"

namespace weir::types {
namespace {

SchemaPtr MakeSchema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(std::move(fields));
}

}  // namespace

TEST_CASE("CsvEncoder quotes what would read as something else", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"a", kStringType}, {"b", kInt64Type}});
  BatchBuilder builder(schema);
  for (const char* text : {"plain", "a,b", "say \"hi\"", "two\nlines", "cr\r", ""}) {
    builder.column(0).AppendString(text);
    builder.column(1).Append<int64_t>(1);
    builder.EndRow();
  }
  builder.column(0).AppendNull();
  builder.column(1).AppendNull();
  builder.EndRow();
  std::string out;
  MakeCsvEncoder(schema, {}, WithOp::kNo)->Append(*builder.Finish(), &out);
  CHECK(out ==
        "plain,1\n\"a,b\",1\n\"say \"\"hi\"\"\",1\n\"two\nlines\",1\n\"cr\r\",1\n\"\",1\n,\n");
}

TEST_CASE("CsvEncoder writes values of every type and a header", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"b", kBoolType},
                                       {"i", kInt32Type},
                                       {"d,e", kDoubleType},
                                       {"t", kTimestampType},
                                       {"day", kDateType},
                                       {"m", DecimalType(38, 2)}});
  BatchBuilder builder(schema);
  builder.column(0).Append<uint8_t>(1);
  builder.column(1).Append<int32_t>(-5);
  builder.column(2).Append<double>(0.1);
  builder.column(3).Append<int64_t>(kMicrosPerSecond / 2);
  builder.column(4).Append<int32_t>(-1);
  builder.column(5).Append<Int128>(-12345);
  builder.EndRow();
  const auto encoder = MakeCsvEncoder(schema, {.header = true}, WithOp::kNo);
  std::string out;
  encoder->AppendHeader(&out);
  encoder->Append(*builder.Finish(), &out);
  CHECK(out == "b,i,\"d,e\",t,day,m\ntrue,-5,0.1,1970-01-01T00:00:00.5Z,1969-12-31,-123.45\n");
}

TEST_CASE("CsvEncoder ends rows of a log with their change kind", "[types][unit]") {
  const SchemaPtr input = MakeSchema({{"k", kInt64Type}});
  const SchemaPtr written = MakeSchema({{"k", kInt64Type}, {"_op", kStringType}});
  BatchBuilder builder(input);
  for (const ChangeKind kind : {ChangeKind::kInsert, ChangeKind::kUpdateBefore,
                                ChangeKind::kUpdateAfter, ChangeKind::kDelete}) {
    builder.column(0).Append<int64_t>(7);
    builder.EndRow(kind);
  }
  std::string out;
  MakeCsvEncoder(written, {}, WithOp::kYes)
      ->Append(*RecordBatch::Select(*builder.Finish(), {0, 1, 3}), &out);
  CHECK(out == "7,insert\n7,update_before\n7,delete\n");
}

TEST_CASE("CsvEncoder quotes a number that equals the null text", "[types][unit]") {
  const SchemaPtr schema = MakeSchema({{"n", kInt64Type}});
  BatchBuilder builder(schema);
  builder.column(0).Append<int64_t>(0);
  builder.EndRow();
  builder.column(0).AppendNull();
  builder.EndRow();
  std::string out;
  MakeCsvEncoder(schema, {.null_text = "0"}, WithOp::kNo)->Append(*builder.Finish(), &out);
  CHECK(out == "\"0\"\n0\n");
}

}  // namespace weir::types
