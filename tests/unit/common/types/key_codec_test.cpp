// What must hold: equal keys have equal bytes and hashes, different ones different bytes, encodings
// decode to their values, damaged ones to an error, and hashes never change.
#include "common/types/key_codec.h"

#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace weir::types {
namespace {

SchemaPtr SchemaOf(std::vector<Field> fields) {
  return std::make_shared<const Schema>(std::move(fields));
}

TEST_CASE("A single integer that is never null is its own key", "[types][unit]") {
  const SchemaPtr schema = SchemaOf({{"k", kInt32Type, false}});
  const KeyCodec codec(schema, {0});
  REQUIRE(codec.is_fixed());
  BatchBuilder builder(schema);
  for (const int32_t key : {0, -1, 42}) {
    builder.column(0).Append(key);
    builder.EndRow();
  }
  KeyBatch keys;
  codec.Encode(*builder.Finish(), &keys);
  CHECK(keys.fixed == PodVector<int64_t>{0, -1, 42});
  CHECK(keys.partition_hash == PodVector<uint32_t>{0, 0xffffffffu, 42});
}

TEST_CASE("Integer hashes are the value, or its words mixed", "[types][unit]") {
  CHECK(HashInt32Key(-1) == 0xffffffffu);
  CHECK(HashInt64Key(5) == 5);
  CHECK(HashInt64Key(-1) == 0);
  CHECK(HashInt64Key(int64_t{1} << 32) == 1);
}

TEST_CASE("A nullable integer hashes like one that is not", "[types][unit]") {
  const SchemaPtr schema = SchemaOf({{"k", kInt64Type, true}});
  const KeyCodec codec(schema, {0});
  REQUIRE_FALSE(codec.is_fixed());
  BatchBuilder builder(schema);
  builder.column(0).Append(int64_t{77});
  builder.EndRow();
  builder.column(0).AppendNull();
  builder.EndRow();
  KeyBatch keys;
  codec.Encode(*builder.Finish(), &keys);
  CHECK(keys.partition_hash[0] == HashInt64Key(77));
  CHECK(keys.Bytes(1) == StringView("\0", 1));
  CHECK(keys.partition_hash[1] == HashKeyBytes(StringView("\0", 1)));
}

TEST_CASE("Composite keys are told apart wherever their parts end", "[types][unit]") {
  const SchemaPtr schema = SchemaOf({{"a", kStringType, false}, {"b", kStringType, true}});
  const KeyCodec codec(schema, {0, 1});
  BatchBuilder builder(schema);
  const std::vector<std::pair<std::string, std::string>> keys_in = {
      {"ab", "c"}, {"a", "bc"}, {"", "abc"}, {"abc", ""}};
  for (const auto& [a, b] : keys_in) {
    builder.column(0).AppendString(a);
    builder.column(1).AppendString(b);
    builder.EndRow();
  }
  builder.column(0).AppendString("abc");
  builder.column(1).AppendNull();
  builder.EndRow();
  KeyBatch keys;
  codec.Encode(*builder.Finish(), &keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CHECK(keys.Bytes(i) != keys.Bytes(j));
    std::vector<ColumnBuilder> columns;
    columns.emplace_back(kStringType);
    columns.emplace_back(kStringType);
    REQUIRE(codec.Decode(keys.Bytes(i), &columns).ok());
    const ColumnPtr a = columns[0].Finish();
    const ColumnPtr b = columns[1].Finish();
    if (i < keys_in.size()) {
      CHECK(a->String(0) == keys_in[i].first);
      CHECK(b->String(0) == keys_in[i].second);
    } else {
      CHECK(b->IsNull(0));
    }
  }
}

TEST_CASE("Equal doubles are one key, however they were made", "[types][unit]") {
  const SchemaPtr schema = SchemaOf({{"k", kDoubleType, false}});
  const KeyCodec codec(schema, {0});
  BatchBuilder builder(schema);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double key : {0.0, -0.0, nan, -nan, 1.5}) {
    builder.column(0).Append(key);
    builder.EndRow();
  }
  KeyBatch keys;
  codec.Encode(*builder.Finish(), &keys);
  CHECK(keys.Bytes(0) == keys.Bytes(1));
  CHECK(keys.Bytes(2) == keys.Bytes(3));
  CHECK(keys.Bytes(0) != keys.Bytes(4));
}

TEST_CASE("A damaged key is an error, never a wrong value", "[types][unit]") {
  const SchemaPtr schema = SchemaOf({{"a", kStringType, true}, {"b", kInt32Type, true}});
  const KeyCodec codec(schema, {0, 1});
  BatchBuilder builder(schema);
  builder.column(0).AppendString("key");
  builder.column(1).Append(int32_t{9});
  builder.EndRow();
  KeyBatch keys;
  codec.Encode(*builder.Finish(), &keys);
  const std::string whole(keys.Bytes(0));
  std::vector<std::string> damaged = {whole + "x", std::string("\2") + whole.substr(1)};
  for (size_t size = 0; size < whole.size(); ++size) damaged.push_back(whole.substr(0, size));
  for (const std::string& bytes : damaged) {
    std::vector<ColumnBuilder> columns;
    columns.emplace_back(kStringType);
    columns.emplace_back(kInt32Type);
    CHECK(absl::IsDataLoss(codec.Decode(bytes, &columns)));
  }
}

}  // namespace
}  // namespace weir::types
